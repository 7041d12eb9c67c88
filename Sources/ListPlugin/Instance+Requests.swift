import CListPlugin
import Glibc

/// Actions, deferred cells and images: offers to the host and its requests.
extension Instance {
  /// Offers the source's extensions to the host, before the table is declared.
  ///
  /// Extensions that the host does not support are skipped.
  func offer(_ source: any DataSource) throws(HostError) {
    actions = source.actions
    if !actions.isEmpty {
      if let table = host.extension(LIST_ACTIONS, list_actions.self) {
        try host.check(offerActions(to: table), "the host refuses the actions; its log says why")
      } else {
        host.log(.warning, "this host knows no actions")
      }
    }
    if let loader = source.loader { try offer(loader, of: source) }
    if let images = source.images { try offer(images) }
    let schema = source.schema
    if schema.hasPresentation { try offer(schema) }
    if let document = schema.viewDocument { try offer(view: document) }
  }

  private func offer(view document: String) throws(HostError) {
    guard let table = host.extension(LIST_VIEW, list_view.self) else {
      return host.log(.debug, "this host shows tables in the plugin's order only")
    }
    let result = document.withCString { table.pointee.offer(host.host.pointee.context, $0) }
    try host.check(result, "the host refuses the view; its log says why")
  }

  private func offer(_ schema: Schema) throws(HostError) {
    guard let table = host.extension(LIST_PRESENTATION, list_presentation.self) else {
      return host.log(.debug, "this host shows values in their default form only")
    }
    let result = schema.withCPresentation { table.pointee.offer(host.host.pointee.context, $0) }
    try host.check(result, "the host refuses the form of the values; its log says why")
  }

  private func offer(_ loader: CellLoader, of source: any DataSource) throws(HostError) {
    let schema = source.schema
    let columns = schema.columns.indices.filter { schema.columns[$0].isDeferred }.map { UInt32($0) }
    guard let table = host.extension(LIST_DEFERRED, list_deferred.self) else {
      return host.log(.warning, "this host knows no deferred cells")
    }
    // The host's struct is valid until the instance is destroyed, and `requests` is closed before.
    nonisolated(unsafe) let context = host.host.pointee.context
    nonisolated(unsafe) let functions = table
    let names = schema.columns.map(\.name)
    requests = LoadRequests(inFlight: loader.inFlight) { place, isCancelled in
      let cell = DeferredCell(key: place.key, column: names[Int(place.column)], isCancelled: isCancelled)
      let result = Result { try loader.load(cell) }
      return { Self.answer(place, result, context, functions) }
    }
    let result = columns.withUnsafeBufferPointer { buffer in
      var declared = list_loader()
      declared.size = UInt32(MemoryLayout<list_loader>.size)
      declared.flags = loader.prefersToFinish ? LIST_LOADER_FINISHES.rawValue : 0
      declared.columns = buffer.baseAddress
      declared.column_count = UInt32(buffer.count)
      declared.in_flight = UInt32(min(max(1, loader.inFlight), 64))
      declared.patience_ms = loader.patience.milliseconds
      declared.load = { Instance.of($0)?.requests?.load(Instance.places($1, $2)) }
      declared.cancel = { pointer, cells, count in
        let gone = Set(Instance.places(cells, count))
        Instance.of(pointer)?.requests?.cancel { gone.contains($0) }
      }
      return table.pointee.offer(context, &declared)
    }
    try host.check(result, "the host refuses the deferred columns; its log says why")
  }

  private func offer(_ loader: ImageLoader) throws(HostError) {
    guard let table = host.extension(LIST_IMAGES, list_images.self) else {
      return host.log(.warning, "this host asks for no images")
    }
    // Valid for the same reason as for deferred cells.
    nonisolated(unsafe) let context = host.host.pointee.context
    nonisolated(unsafe) let functions = table
    imageRequests = LoadRequests(inFlight: loader.inFlight) { pending, isCancelled in
      let request = ImageRequest(key: ImageKey(pending.key), isCancelled: isCancelled)
      let result = Result { try loader.load(request) }
      return {
        switch result {
        case .success(let bytes?):
          // An empty array may have no address, and a NULL address reports a missing image.
          _ = (bytes.isEmpty ? [0] : bytes).withUnsafeBytes {
            functions.pointee.loaded(context, pending.id, $0.baseAddress, UInt64(bytes.count))
          }
        case .success(nil): _ = functions.pointee.loaded(context, pending.id, nil, 0)
        case .failure(let error): _ = functions.pointee.failed(context, pending.id, "\(error)")
        }
      }
    }
    let result = table.pointee.offer(context) { pointer, image in
      guard let image = image?.pointee, let key = image.key else { return }
      let bytes = UnsafeRawBufferPointer(start: key, count: Int(image.length))
      Instance.of(pointer)?.imageRequests?.load([
        PendingImage(id: image.id, key: String(decoding: bytes, as: UTF8.self))
      ])
    } _: { pointer, ids, count in
      let gone = Set(UnsafeBufferPointer(start: ids, count: ids == nil ? 0 : Int(count)))
      Instance.of(pointer)?.imageRequests?.cancel { gone.contains($0.id) }
    }
    try host.check(result, "the host refuses the images; its log says why")
  }

  private func offerActions(to table: UnsafePointer<list_actions>) -> Int32 {
    let texts = CTexts()
    var buffers: [UnsafeMutableBufferPointer<list_argument>] = []
    var choices: [UnsafeMutableBufferPointer<list_cell>] = []
    defer {
      buffers.forEach { $0.deallocate() }
      choices.forEach { $0.deallocate() }
    }
    func keep<Value>(_ values: [Value]) -> UnsafeMutableBufferPointer<Value> {
      let buffer = UnsafeMutableBufferPointer<Value>.allocate(capacity: max(1, values.count))
      _ = buffer.initialize(from: values)
      return buffer
    }
    let declared = actions.map { action -> list_action in
      let arguments = keep(
        action.arguments.map { argument -> list_argument in
          let cells = keep(argument.choices.map { texts.cell($0) })
          choices.append(cells)
          return list_argument(
            name: texts.keep(argument.name), label: texts.keep(argument.label), type: argument.kind.rawValue,
            choice_count: UInt32(argument.choices.count), choices: cells.baseAddress,
            standard: argument.standard.map { texts.cell($0) } ?? list_null(),
            minimum: argument.minimum.map { list_number($0) } ?? list_null(),
            maximum: argument.maximum.map { list_number($0) } ?? list_null())
        })
      buffers.append(arguments)
      var flags: UInt32 = 0
      if action.isDangerous { flags |= LIST_ACTION_DANGER.rawValue }
      if !action.appliesToRows { flags |= LIST_ACTION_TABLE.rawValue }
      return list_action(
        name: texts.keep(action.name), title: texts.keep(action.title), confirm: texts.keep(action.confirm),
        flags: flags, patience_ms: action.patience.milliseconds, arguments: arguments.baseAddress,
        argument_count: UInt32(action.arguments.count), argument_size: UInt32(MemoryLayout<list_argument>.stride))
    }
    return declared.withUnsafeBufferPointer { buffer in
      table.pointee.offer(
        host.host.pointee.context, buffer.baseAddress, UInt32(buffer.count), UInt32(MemoryLayout<list_action>.stride)
      ) { pointer, request in
        guard let instance = Instance.of(pointer), let request else { return }
        instance.perform(request.pointee)
      }
    }
  }

  private func perform(_ request: list_request) {
    guard let table = host.extension(LIST_ACTIONS, list_actions.self) else { return }
    let name = request.action.map { String(cString: $0) } ?? ""
    let (outcome, message): (list_outcome, String)
    if let action = actions.first(where: { $0.name == name }) {
      do {
        (outcome, message) = (LIST_DONE, try action.perform(ActionRequest(request, of: action)))
      } catch {
        (outcome, message) = (LIST_FAILED, "\(error)")
      }
    } else {
      (outcome, message) = (LIST_FAILED, "unknown action “\(name)”")
    }
    _ = table.pointee.acted(host.host.pointee.context, request.id, outcome.rawValue, message)
  }

  private static func answer(
    _ place: CellPlace, _ result: Result<any CellValue, any Error>, _ context: UnsafeMutableRawPointer?,
    _ table: UnsafePointer<list_deferred>
  ) {
    place.key.withCell { key in
      switch result {
      case .success(let value):
        // A batch of one cell converts the value to a C cell.
        var batch = Batch(.upsert, columns: 1, reserving: 1)
        batch.beginRow(key: 0)
        value.append(to: &batch)
        if let mistake = batch.mistake {
          _ = table.pointee.failed(context, &key, place.column, mistake)
        } else {
          var cell = batch.cells.load(as: list_cell.self)
          _ = table.pointee.loaded(context, &key, place.column, &cell)
        }
      case .failure(let error): _ = table.pointee.failed(context, &key, place.column, "\(error)")
      }
    }
  }

  private static func places(_ cells: UnsafePointer<list_place>?, _ count: UInt32) -> [CellPlace] {
    UnsafeBufferPointer(start: cells, count: cells == nil ? 0 : Int(count)).compactMap { place in
      Key(place.key).map { CellPlace(key: $0, column: place.column) }
    }
  }

  static func of(_ pointer: UnsafeMutableRawPointer?) -> Instance? {
    pointer.map { Unmanaged<Instance>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension Duration {
  /// The duration in whole milliseconds, at least 1.
  fileprivate var milliseconds: UInt32 {
    let (seconds, attoseconds) = components
    let rest = attoseconds / 1_000_000_000_000_000
    return UInt32(clamping: max(1, min(seconds, 4_000_000) * 1_000 + rest))
  }
}
