#!/bin/sh
#SBATCH --job-name=arena-worker
#SBATCH --array=1-50
#SBATCH --cpus-per-task=4
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@60
# One key for all tasks: arena fleet invite slurm. Each task is a worker of its own
# and ends when there is nothing to play.
exec arena worker --join tls://arena.example.org:4270 --key "$HOME/slurm.key" \
  --name "$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID" --slots "$SLURM_CPUS_PER_TASK" --drain
