import Glibc

/// Opens files that nobody but root and we can have put there or changed: what runs with our rights must come from such a place.
enum TrustedFile {
  /// Opens a regular file for reading.
  ///
  /// What is looked at is the open file itself, and every folder on the way to it once all links are followed: a check of a name would
  /// say nothing of what stands there a moment later. When none of them can be written by others, nothing can be exchanged either.
  ///
  /// - Returns: the open file, which no child inherits, and its path without links.
  static func open(_ path: String) throws(PluginError) -> (file: Int32, path: String) {
    guard path.hasPrefix("/") else { throw .relativePath(path) }
    guard let resolved = realpath(path, nil) else { throw .missingFile(path) }
    defer { free(resolved) }
    let place = String(cString: resolved)
    // Without waiting: a pipe would wait for a writer.
    let file = Glibc.open(place, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { throw .missingFile(path) }
    do throws(PluginError) {
      var status = stat()
      guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .notRegularFile(path) }
      if let reason = objection(to: status, isFolder: false) { throw .untrusted(path, reason: "it \(reason)") }
      try checkFolders(of: place, asked: path)
    } catch {
      close(file)
      throw error
    }
    return (file, place)
  }

  private static func checkFolders(of place: String, asked path: String) throws(PluginError) {
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

  /// Why others could have a hand in it; `nil` when they cannot.
  private static func objection(to status: stat, isFolder: Bool) -> String? {
    guard status.st_uid == 0 || status.st_uid == geteuid() else {
      return "belongs to the user with the number \(status.st_uid)"
    }
    // In a sticky folder, such as /tmp, others can put things beside ours but not in their place.
    if isFolder, status.st_mode & S_ISVTX != 0 { return nil }
    if status.st_mode & S_IWOTH != 0 { return "can be written by everyone (chmod o-w)" }
    if status.st_mode & S_IWGRP != 0, status.st_gid != 0 || geteuid() != 0 {
      return "can be written by its group (chmod g-w)"
    }
    return nil
  }
}
