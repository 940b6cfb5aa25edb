// Package bundle packs programs for other machines: a bot, or the rules of a game, as
// one archive that is identified by its contents.
//
// # What goes along
//
// A bundle has what a strict sandbox shows of a program's own files: the program, the
// files and folders that its arguments name, and those that its entry lists in
// sandbox_read, or all of its dir if it names one. Files of version control and Python
// (.git, .hg, .svn, __pycache__) are left out. Links to files are followed; links to
// folders, pipes and sockets are refused.
//
// Interpreters and launchers (python3, node, java, sh, env, ...), and what a script's
// first line names, are not packed: the machine must have one of that name. The
// interpreter of a virtual environment is refused, since another one would find other
// libraries: such a bot must be installed on the machines.
//
// # The archive
//
// A bundle's [ID] is the SHA-256 of a tar archive in a canonical form: first
// bundle.json (the [Manifest]), then the regular files in the order of their paths'
// bytes, without owners or times, with mode 0755 where the owner may execute them and
// 0644 elsewhere. Files of the program's dir are below "dir/", others below "out/0/",
// "out/1/", ... For transport it is compressed with zstd, which does not affect the ID.
//
// # Trust
//
// [Unpack] does not trust its input: paths that are not plain (absolute, "..", links,
// devices, names that Windows reads otherwise), entries out of order, more than
// [Limits] allow and anything that is not the ID's archive are errors, and nothing is
// written outside of the folder given. A [Cache] holds unpacked bundles, and verifies
// the ID of the files before each use.
package bundle
