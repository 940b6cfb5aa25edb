-- Games are no longer played again to audit a worker.
DROP TABLE audited;
DROP TABLE differences;
ALTER TABLE workers DROP COLUMN audited;
ALTER TABLE workers DROP COLUMN differed;
