import CListPlugin
import Glibc
import Synchronization

/// Returns the plugin of a source type; an entry function only calls this.
///
///     @c(list_plugin_entry_v1) public func entry() -> PluginEntry { export(Load.self) }
///
/// Repeated calls with the same type return the same pointer.
/// The same type gives the same answer, however often a library is loaded.
public func export(_ type: any DataSource.Type) -> PluginEntry {
  let address = exports.withLock { exports in
    if let known = exports[ObjectIdentifier(type)] { return known }
    let made = UInt(bitPattern: makeEntry(type))
    exports[ObjectIdentifier(type)] = made
    return made
  }
  guard let entry = PluginEntry(bitPattern: address) else { preconditionFailure("memory was given at address 0") }
  return entry
}

/// The plugins' addresses by source type.
private let exports = Mutex<[ObjectIdentifier: UInt]>([:])

private func makeEntry(_ type: any DataSource.Type) -> PluginEntry {
  // The type is stored after the struct, because `create` only receives the struct. The memory is
  // never freed: a plugin stays valid for the life of the process.
  let memory = UnsafeMutableRawPointer.allocate(
    byteCount: MemoryLayout<list_plugin>.stride + MemoryLayout<any DataSource.Type>.stride,
    alignment: MemoryLayout<list_plugin>.alignment)
  (memory + MemoryLayout<list_plugin>.stride).initializeMemory(as: (any DataSource.Type).self, to: type)

  let plugin = memory.initializeMemory(as: list_plugin.self, to: list_plugin())
  plugin.pointee.version = LIST_PLUGIN_VERSION
  plugin.pointee.size = UInt32(MemoryLayout<list_plugin>.size)
  plugin.pointee.name = UnsafePointer(strdup(type.name))
  plugin.pointee.title = UnsafePointer(strdup(type.title))
  plugin.pointee.create = { plugin, host in
    guard let plugin, let host, host.pointee.version == LIST_PLUGIN_VERSION,
      host.pointee.size >= MemoryLayout<list_host>.size
    else { return nil }
    let place = UnsafeRawPointer(plugin) + MemoryLayout<list_plugin>.stride
    let type = place.load(as: (any DataSource.Type).self)
    let instance = Instance(type, ListHost(host: host, stopHandlers: StopHandlers()))
    return Unmanaged.passRetained(instance).toOpaque()
  }
  plugin.pointee.configure = { pointer, settings, count in
    var values: [String: String] = [:]
    for index in 0..<count {
      guard let setting = settings?[index], let key = setting.key, let value = setting.value else { continue }
      values[String(cString: key)] = String(cString: value)
    }
    return instance(pointer).configure(values)
  }
  plugin.pointee.run = { pointer in instance(pointer).run() }
  plugin.pointee.stop = { pointer in instance(pointer).host.stopHandlers.stop() }
  plugin.pointee.destroy = { pointer in
    guard let pointer else { return }
    // Loads must not answer after the host's functions have become invalid.
    instance(pointer).requests?.close()
    instance(pointer).imageRequests?.close()
    Unmanaged<Instance>.fromOpaque(pointer).release()
  }
  return UnsafePointer(plugin)
}

private func instance(_ pointer: UnsafeMutableRawPointer?) -> Instance {
  guard let pointer else {
    preconditionFailure("the host gives back the instance that create has made, and that is not NULL")
  }
  return Unmanaged<Instance>.fromOpaque(pointer).takeUnretainedValue()
}
