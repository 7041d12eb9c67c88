import CListPlugin
import Glibc

/// The host's named extensions, as function tables shared by all sources.
///
/// Each function receives the source's context.
enum ExtensionTables {
  /// Returns the result of `get_extension`; `nil` for an unknown name.
  static func table(_ name: UnsafePointer<CChar>?) -> UnsafeRawPointer? {
    guard let name else { return nil }
    if strcmp(name, LIST_ACTIONS) == 0 { return UnsafeRawPointer(actions) }
    if strcmp(name, LIST_DEFERRED) == 0 { return UnsafeRawPointer(deferred) }
    if strcmp(name, LIST_IMAGES) == 0 { return UnsafeRawPointer(images) }
    if strcmp(name, LIST_PRESENTATION) == 0 { return UnsafeRawPointer(presentation) }
    if strcmp(name, LIST_VIEW) == 0 { return UnsafeRawPointer(view) }
    return nil
  }

  // Allocated once and never freed, because plugins keep the pointers for the lifetime of the
  // process.
  private nonisolated(unsafe) static let actions: UnsafePointer<list_actions> = {
    let table = UnsafeMutablePointer<list_actions>.allocate(capacity: 1)
    table.initialize(to: list_actions())
    table.pointee.size = UInt32(MemoryLayout<list_actions>.size)
    table.pointee.offer = { context, actions, count, size, act in
      SourceCore.of(context)?.offer(actions, count, size, act) ?? SourceCore.refused
    }
    table.pointee.acted = { context, id, outcome, message in
      SourceCore.of(context)?.acted(id, outcome, message) ?? SourceCore.refused
    }
    return UnsafePointer(table)
  }()

  private nonisolated(unsafe) static let deferred: UnsafePointer<list_deferred> = {
    let table = UnsafeMutablePointer<list_deferred>.allocate(capacity: 1)
    table.initialize(to: list_deferred())
    table.pointee.size = UInt32(MemoryLayout<list_deferred>.size)
    table.pointee.offer = { context, loader in SourceCore.of(context)?.offer(loader) ?? SourceCore.refused }
    table.pointee.loaded = { context, key, column, value in
      SourceCore.of(context)?.loaded(key, column, value) ?? SourceCore.refused
    }
    table.pointee.failed = { context, key, column, reason in
      SourceCore.of(context)?.notLoaded(key, column, reason) ?? SourceCore.refused
    }
    table.pointee.forget = { context, key, column in
      SourceCore.of(context)?.forget(key, column) ?? SourceCore.refused
    }
    return UnsafePointer(table)
  }()

  private nonisolated(unsafe) static let presentation: UnsafePointer<list_presentation> = {
    let table = UnsafeMutablePointer<list_presentation>.allocate(capacity: 1)
    table.initialize(to: list_presentation())
    table.pointee.size = UInt32(MemoryLayout<list_presentation>.size)
    table.pointee.offer = { context, form in SourceCore.of(context)?.offer(form) ?? SourceCore.refused }
    return UnsafePointer(table)
  }()

  private nonisolated(unsafe) static let view: UnsafePointer<list_view> = {
    let table = UnsafeMutablePointer<list_view>.allocate(capacity: 1)
    table.initialize(to: list_view())
    table.pointee.size = UInt32(MemoryLayout<list_view>.size)
    table.pointee.offer = { context, json in SourceCore.of(context)?.offer(view: json) ?? SourceCore.refused }
    return UnsafePointer(table)
  }()

  private nonisolated(unsafe) static let images: UnsafePointer<list_images> = {
    let table = UnsafeMutablePointer<list_images>.allocate(capacity: 1)
    table.initialize(to: list_images())
    table.pointee.size = UInt32(MemoryLayout<list_images>.size)
    table.pointee.offer = { context, load, cancel in
      SourceCore.of(context)?.offer(load, cancel) ?? SourceCore.refused
    }
    table.pointee.loaded = { context, id, bytes, length in
      SourceCore.of(context)?.imageLoaded(id, bytes, length) ?? SourceCore.refused
    }
    table.pointee.failed = { context, id, reason in
      SourceCore.of(context)?.imageNotLoaded(id, reason) ?? SourceCore.refused
    }
    return UnsafePointer(table)
  }()
}
