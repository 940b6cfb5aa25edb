package bundle

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
)

// platformOf returns the platform of an executable, as GOOS/GOARCH; "" if it is a
// script or unknown.
func platformOf(file string) string {
	if f, err := elf.Open(file); err == nil {
		defer func() { _ = f.Close() }()
		arch := map[elf.Machine]string{
			elf.EM_X86_64: "amd64", elf.EM_386: "386", elf.EM_AARCH64: "arm64", elf.EM_ARM: "arm",
			elf.EM_RISCV: "riscv64", elf.EM_PPC64: "ppc64le", elf.EM_S390: "s390x", elf.EM_LOONGARCH: "loong64",
		}[f.Machine]
		if f.OSABI == elf.ELFOSABI_FREEBSD {
			return join("freebsd", arch)
		}
		return join("linux", arch)
	}
	if f, err := pe.Open(file); err == nil {
		defer func() { _ = f.Close() }()
		return join("windows", map[uint16]string{
			pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_I386: "386", pe.IMAGE_FILE_MACHINE_ARM64: "arm64",
		}[f.Machine])
	}
	if f, err := macho.Open(file); err == nil {
		defer func() { _ = f.Close() }()
		return join("darwin", map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[f.Cpu])
	}
	return ""
}

func join(system, arch string) string {
	if arch == "" {
		return ""
	}
	return system + "/" + arch
}
