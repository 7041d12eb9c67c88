import CListPlugin

/// A plugin without the Swift SDK, as in C.
///
/// Its `run` is a closure that gets the bare host.
final class HandMade: Sendable {
  typealias Script = @Sendable (UnsafePointer<list_host>) -> Void

  nonisolated(unsafe) let plugin: UnsafePointer<list_plugin>

  /// The plugin's context behind the struct; also used as the instance.
  private final class Box {
    let script: Script
    var host: UnsafePointer<list_host>?
    init(_ script: @escaping Script) { self.script = script }
  }

  init(_ script: @escaping Script) {
    let stride = MemoryLayout<list_plugin>.stride
    let memory = UnsafeMutableRawPointer.allocate(byteCount: stride + 8, alignment: 8)
    (memory + stride).initializeMemory(as: UnsafeRawPointer.self, to: Unmanaged.passRetained(Box(script)).toOpaque())
    let plugin = memory.initializeMemory(as: list_plugin.self, to: list_plugin())
    plugin.pointee.version = LIST_PLUGIN_VERSION
    plugin.pointee.size = UInt32(MemoryLayout<list_plugin>.size)
    let name: StaticString = "hand-made"
    plugin.pointee.name = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    plugin.pointee.create = { plugin, host in
      let place = UnsafeRawPointer(plugin!) + MemoryLayout<list_plugin>.stride
      let box = place.load(as: UnsafeRawPointer.self)
      Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().host = host
      return UnsafeMutableRawPointer(mutating: box)
    }
    plugin.pointee.run = { instance in
      let box = Unmanaged<Box>.fromOpaque(instance!).takeUnretainedValue()
      box.script(box.host!)
      return 0
    }
    plugin.pointee.destroy = { _ in }
    self.plugin = UnsafePointer(plugin)
  }
}
