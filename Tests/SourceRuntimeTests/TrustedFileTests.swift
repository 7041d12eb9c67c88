import Foundation
import Glibc
import SourceTesting
import Testing

@testable import SourceRuntime

/// Places from which files are loaded or refused.
@Suite struct TrustedFileTests {
  /// Creates a file two folders deep, modifies it by `change`, and returns the reason for refusing
  /// it.
  private func refusal(_ change: (_ file: String, _ folder: String, _ outer: String) -> String?) throws -> String? {
    try Workshop.withFolder { root in
      let outer = root.appending(path: "outer").path
      let folder = outer + "/inner"
      let file = folder + "/plugin.so"
      for path in [outer, folder] {
        mkdir(path, 0o755)
        chmod(path, 0o755)
      }
      try Data([1]).write(to: URL(filePath: file))
      chmod(file, 0o644)
      let path = change(file, folder, outer) ?? file
      do throws(PluginError) {
        let opened = try TrustedFile.open(path)
        close(opened.file)
        return nil
      } catch {
        return error.description.replacing(root.path, with: "")
      }
    }
  }

  private func refused(_ change: (_ file: String, _ folder: String, _ outer: String) -> Void) throws -> String? {
    try refusal { file, folder, outer -> String? in
      change(file, folder, outer)
      return nil
    }
  }

  @Test func `trusts a file that only its owner can write`() throws {
    #expect(try refused { _, _, _ in } == nil)
    #expect(try refused { file, _, _ in chmod(file, 0o400) } == nil)
    #expect(try refused { _, folder, _ in chmod(folder, 0o1777) } == nil, "sticky")
  }

  @Test func `refuses a file that everyone can write`() throws {
    #expect(
      try refused { file, _, _ in chmod(file, 0o646) }
        == "/outer/inner/plugin.so: not trusted: it can be written by everyone (chmod o-w)")
  }

  @Test func `refuses a file in a folder that everyone can write`() throws {
    #expect(
      try refused { _, folder, _ in chmod(folder, 0o777) }
        == "/outer/inner/plugin.so: not trusted: its folder /outer/inner can be written by everyone (chmod o-w)")
    #expect(
      try refused { _, _, outer in chmod(outer, 0o757) }
        == "/outer/inner/plugin.so: not trusted: its folder /outer can be written by everyone (chmod o-w)")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can change the owner"))
  func `refuses a file or folder that another group can write`() throws {
    #expect(
      try refused { file, _, _ in
        chown(file, 0, 1)
        chmod(file, 0o664)
      } == "/outer/inner/plugin.so: not trusted: it can be written by its group (chmod g-w)")
    #expect(
      try refused { _, folder, _ in
        chown(folder, 0, 1)
        chmod(folder, 0o775)
      } == "/outer/inner/plugin.so: not trusted: its folder /outer/inner can be written by its group (chmod g-w)")
    #expect(try refused { file, _, _ in chmod(file, 0o664) } == nil, "root's own group is root")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can change the owner"))
  func `refuses a file or folder of another user`() throws {
    #expect(
      try refused { file, _, _ in chown(file, 1, 0) }
        == "/outer/inner/plugin.so: not trusted: it belongs to the user with the number 1")
    #expect(
      try refused { _, _, outer in chown(outer, 1, 0) }
        == "/outer/inner/plugin.so: not trusted: its folder /outer belongs to the user with the number 1")
    #expect(
      try refused { _, folder, _ in
        chown(folder, 1, 0)
        chmod(folder, 0o1777)
      } == "/outer/inner/plugin.so: not trusted: its folder /outer/inner belongs to the user with the number 1",
      "its owner may take away what others put into a sticky folder")
  }

  @Test func `checks the folder to which a symbolic link leads`() throws {
    #expect(
      try refusal { file, folder, outer -> String? in
        symlink(file, outer + "/link.so")
        chmod(folder, 0o777)
        return outer + "/link.so"
      } == "/outer/link.so: not trusted: its folder /outer/inner can be written by everyone (chmod o-w)")
    #expect(
      try refusal { file, _, outer -> String? in
        symlink(file, outer + "/link.so")
        return outer + "/link.so"
      } == nil)
  }

  @Test func `refuses folders, pipes, missing files and relative paths`() throws {
    #expect(try refusal { _, folder, _ -> String? in folder } == "/outer/inner: not a regular file")
    #expect(
      try refusal { _, folder, _ -> String? in
        mkfifo(folder + "/pipe", 0o644)
        return folder + "/pipe"
      } == "/outer/inner/pipe: not a regular file")
    #expect(try refusal { file, _, _ -> String? in file + "x" } == "/outer/inner/plugin.sox: no such file")
    #expect(try refusal { _, _, _ -> String? in "plugin.so" } == "plugin.so: a plugin needs an absolute path")
  }
}
