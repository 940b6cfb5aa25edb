// Package bundle carries programs to other machines: a bot, or the rules of a game,
// as one archive that is known by its contents.
//
// # What goes along
//
// A bundle has what a strict sandbox shows of a program's own files: the program,
// the files and folders that its arguments name, and those that its entry lists in
// sandbox_read, which is all of its dir where it names one. Of folders, what version
// control and Python keep there (.git, .hg, .svn, __pycache__) stays behind. Links
// are followed to files; one to a folder is refused, as are pipes and sockets.
//
// Interpreters and launchers (python3, node, java, sh, env, ...) do not travel: the
// machine must have one of that name. So must what a script's first line names. The
// interpreter of a virtual environment is refused, since another one would find
// other libraries: such a bot is to be installed on the machines.
//
// # The archive
//
// A bundle's [ID] is the SHA-256 of a tar archive with one way to write it: first
// bundle.json (the [Manifest]), then the regular files in the order of their paths'
// bytes, without owners or times, with mode 0755 where the owner may execute them
// and 0644 elsewhere. What lies in the program's dir is below "dir/", anything else
// below "out/0/", "out/1/", ... On the way it is compressed with zstd, which the ID
// does not depend on.
//
// # Trust
//
// [Unpack] takes bytes from anywhere: paths that are not plain (absolute, "..",
// links, devices, names that Windows reads otherwise), entries out of order, more
// than [Limits] allow and anything that is not the ID's archive are errors, and
// nothing is written outside of the folder given. [Cache] holds what was unpacked,
// and computes the ID of the files again whenever they are to be used.
package bundle
