import Glibc

/// Opens files that only root and the current user can create or change.
///
/// Code that runs with the privileges of this process must come from such a file.
package enum TrustedFile {
  /// Opens a regular file for reading.
  ///
  /// The checks apply to the open file and to every folder on its resolved path. Checking a path by
  /// name would leave a race: the file could be exchanged after the check. If other users can write
  /// to none of them, no exchange is possible.
  ///
  /// - Returns: The open file, which child processes do not inherit, and its path without symbolic
  ///   links.
  package static func open(_ path: String) throws(PluginError) -> (file: Int32, path: String) {
    guard path.hasPrefix("/") else { throw .relativePath(path) }
    guard let resolved = realpath(path, nil) else { throw .missingFile(path) }
    defer { free(resolved) }
    let place = String(cString: resolved)
    // `O_NONBLOCK`, because opening a pipe would wait for a writer.
    let file = Glibc.open(place, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { throw .missingFile(path) }
    do throws(PluginError) {
      var status = stat()
      guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .notRegularFile(path) }
      if let reason = objection(to: status, isFolder: false) { throw .untrusted(path, reason: "it \(reason)") }
      try checkFolders(of: place, given: path)
    } catch {
      close(file)
      throw error
    }
    return (file, place)
  }

  private static func checkFolders(of place: String, given path: String) throws(PluginError) {
    var folder = place
    repeat {
      folder = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? ""
      let name = folder.isEmpty ? "/" : folder
      var status = stat()
      guard lstat(name, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw .untrusted(path, reason: "its folder \(name) has changed meanwhile")
      }
      if let reason = objection(to: status, isFolder: true) {
        throw .untrusted(path, reason: "its folder \(name) \(reason)")
      }
    } while !folder.isEmpty
  }

  /// Describes how other users could change the file or folder, or returns `nil` when they have no
  /// way to.
  private static func objection(to status: stat, isFolder: Bool) -> String? {
    guard status.st_uid == 0 || status.st_uid == geteuid() else {
      return "belongs to the user with the number \(status.st_uid)"
    }
    // In a sticky folder, such as /tmp, other users can add files but not replace those of this
    // user.
    if isFolder, status.st_mode & S_ISVTX != 0 { return nil }
    if status.st_mode & S_IWOTH != 0 { return "can be written by everyone (chmod o-w)" }
    if status.st_mode & S_IWGRP != 0, status.st_gid != 0 || geteuid() != 0 {
      return "can be written by its group (chmod g-w)"
    }
    return nil
  }
}
