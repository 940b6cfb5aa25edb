// Package submission turns a team's submission into a bot: it unpacks a source file or
// an archive ([Unpack]), finds out how to build and start it ([Builder.Plan]) and
// builds it ([Builder.Build]). It knows no teams, no database and no network, and is
// handed the programs of the machine.
//
// # What may be handed in
//
// A single source file, or a zip, tar or tar.gz archive, told apart by their contents. An
// archive whose files all lie in one folder is taken as that folder. What version control,
// Python and macOS keep in folders of their own stays out. A file bot.yaml at the top may
// set command, build, protocol and options, as the entry of a bot in an event file does;
// without it the language is told by the endings of the files, and the main file by its
// name.
//
// # Nothing of it is believed
//
// Names of an archive's members are relative, UTF-8, without "..", mean the same file on
// every system and differ from each other by more than case or Unicode form. Links lead to
// files inside. The number of members, their size and the memory spent on them are bounded
// whatever the archive says of them. Files are written below an [os.Root], into a folder
// beside the one asked for, which then takes that name at once: whoever finds it finds all
// of it, and an attempt that was cut off leaves nothing that a second one would trip over.
//
// A build runs in a strict sandbox (package process) on a copy of the files in memory,
// without network, under limits of time, memory, processes and disk. What it leaves is
// read as an archive of a stranger's is: a build can do nothing to the machine, and
// nothing that an archive could not do to its own folder. Caches of compilers lie outside
// of that folder and end with the sandbox.
//
// What is wrong with a submission is a [*RefusedError], whose reason is a sentence for the
// people who handed it in. Any other error is the machine's: the same submission may be
// tried again.
package submission
