import CListPlugin
import Glibc
import Synchronization

/// Makes a type into a plugin. It is all that a plugin's entry function does:
///
///     @c(list_plugin_entry_v1) public func entry() -> PluginEntry { export(Load.self) }
///
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

/// The addresses of what was exported.
private let exports = Mutex<[ObjectIdentifier: UInt]>([:])

private func makeEntry(_ type: any DataSource.Type) -> PluginEntry {
  // The type stands right behind the struct that the host knows, so that `create`, which is given the struct, finds it. It is never
  // freed: a plugin is what it is as long as the process lives.
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
    // No load may answer a host that is not there any more.
    instance(pointer).requests?.close()
    instance(pointer).imageDesk?.close()
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
