class Arena < Formula
  desc "Referee, tournaments and ratings for game-playing programs"
  homepage "{{.URL}}"
  version "{{.Version}}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "{{address "darwin-arm64.tar.gz"}}"
      sha256 "{{sum "darwin-arm64.tar.gz"}}"
    end
    on_intel do
      url "{{address "darwin-amd64.tar.gz"}}"
      sha256 "{{sum "darwin-amd64.tar.gz"}}"
    end
  end

  on_linux do
    on_arm do
      url "{{address "linux-arm64.tar.gz"}}"
      sha256 "{{sum "linux-arm64.tar.gz"}}"
    end
    on_intel do
      url "{{address "linux-amd64.tar.gz"}}"
      sha256 "{{sum "linux-amd64.tar.gz"}}"
    end
  end

  def install
    bin.install "arena"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/arena.bash" => "arena"
    zsh_completion.install "completions/_arena"
    fish_completion.install "completions/arena.fish"
    pkgshare.install "configs", "bots"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/arena version")
  end
end
