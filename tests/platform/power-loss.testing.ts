import type { NodeFS } from '@electric-sql/pglite/nodefs'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { DurableFiles } from '../../apps/platform-server/src/database/durable-files.ts'

/** A write at an offset, or a new length. */
type Change = { readonly at: number; readonly bytes: Buffer } | { readonly length: number }

/** The synced content of a file, and the writes since then. */
interface RecordedFile {
  synced: Buffer
  pending: Change[]
}

/** The files below a folder, in memory, as they are on the disk after a power loss. */
export type Image = ReadonlyMap<string, Buffer>

/**
 * The content of a disk if the power failed at any moment: the synced part of each file, and any part of the writes since then.
 * Names and lengths count as durable immediately, since journalling file systems keep these apart.
 */
export class RecordedDisk {
  readonly #root: string
  readonly #files = new Map<string, RecordedFile>()
  #isRecording = false
  /** Operations so far. */
  operations = 0
  /** Called after each. */
  onOperation: () => void = () => {}

  constructor(root: string) {
    this.#root = root
  }

  /** Begin with the existing files, all of them synced. */
  begin(): void {
    for (const entry of readdirSync(this.#root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      this.#files.set(path, { synced: readFileSync(path), pending: [] })
    }
    this.#isRecording = true
  }

  /** Paths are those of the folder that is recorded. */
  created = (path: string) => this.#operation(() => this.#files.set(path, { synced: Buffer.alloc(0), pending: [] }))
  removed = (path: string) => this.#operation(() => this.#files.delete(path))
  changed = (path: string, change: Change) => this.#operation(() => this.#files.get(path)?.pending.push(change))

  renamed = (from: string, to: string) =>
    this.#operation(() => {
      const file = this.#files.get(from)
      this.#files.delete(from)
      if (file !== undefined) this.#files.set(to, file)
    })

  synced = (path: string) =>
    this.#operation(() => {
      const file = this.#files.get(path)
      if (file === undefined) return
      file.synced = applied(file.synced, file.pending)
      file.pending = []
    })

  /** The disk after a power loss now: each write since the last sync of its file survives with a probability of one half. */
  cut(): Image {
    const image = new Map<string, Buffer>()
    for (const [path, { synced, pending }] of this.#files) {
      const kept = pending.filter((change) => 'length' in change || Math.random() < 0.5)
      image.set(relative(this.#root, path), applied(Buffer.from(synced), kept))
    }
    return image
  }

  #operation(note: () => void): void {
    if (!this.#isRecording) return
    note()
    this.operations++
    this.onOperation()
  }
}

function applied(content: Buffer, changes: readonly Change[]): Buffer {
  let result = content
  for (const change of changes) {
    const length = 'length' in change ? change.length : Math.max(result.length, change.at + change.bytes.length)
    if (length !== result.length) {
      const resized = Buffer.alloc(length)
      result.copy(resized, 0, 0, Math.min(length, result.length))
      result = resized
    }
    if ('bytes' in change) change.bytes.copy(result, change.at)
  }
  return result
}

/** Write an image to an empty folder; folders of `like` that have no file are made as well. */
export function writeImage(image: Image, folder: string, like: string): void {
  for (const entry of readdirSync(like, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory())
      mkdirSync(join(folder, relative(like, join(entry.parentPath, entry.name))), { recursive: true })
  for (const [path, bytes] of image) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
}

/** The parts of Emscripten's file system over Node that are recorded. */
interface Node {
  readonly name: string
}
interface Stream {
  readonly node: Node
}
interface Attributes {
  readonly size?: number
}
interface NodeFiles {
  realPath(node: Node): string
  readonly stream_ops: {
    fsync(stream: Stream): number
    write(stream: Stream, buffer: Uint8Array, offset: number, length: number, position: number): number
    setattr(stream: Stream, attributes: Attributes): void
  }
  readonly node_ops: {
    setattr(node: Node, attributes: Attributes): void
    rename(node: Node, folder: Node, name: string): void
    unlink(folder: Node, name: string): void
    mknod(folder: Node, name: string, mode: number, device: number): Node
  }
}

const KIND_OF_FILE = 0xf000
const REGULAR = 0x8000

/** The files of the platform's database, recorded. */
export class RecordedFiles extends DurableFiles {
  readonly #disk: RecordedDisk

  constructor(folder: string, disk: RecordedDisk) {
    super(folder)
    this.#disk = disk
  }

  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const initialized = await super.init(...args)
    // After the hook of `DurableFiles`: its `fsync` is the one that is recorded.
    initialized.emscriptenOpts.preRun?.push((module) => {
      record((module as unknown as { readonly NODEFS: NodeFiles }).NODEFS, this.#disk)
    })
    return initialized
  }
}

function record(files: NodeFiles, disk: RecordedDisk): void {
  const { stream_ops: streams, node_ops: nodes } = files
  const { fsync, write, setattr: setStream } = streams
  const { setattr: setNode, rename, unlink, mknod } = nodes
  const resized = (node: Node, { size }: Attributes) => {
    if (size !== undefined) disk.changed(files.realPath(node), { length: size })
  }
  streams.fsync = (stream) => {
    const result = fsync(stream)
    disk.synced(files.realPath(stream.node))
    return result
  }
  streams.write = (stream, buffer, offset, length, position) => {
    const written = write(stream, buffer, offset, length, position)
    const bytes = Buffer.from(Uint8Array.prototype.slice.call(buffer, offset, offset + written))
    disk.changed(files.realPath(stream.node), { at: position, bytes })
    return written
  }
  streams.setattr = (stream, attributes) => {
    setStream(stream, attributes)
    resized(stream.node, attributes)
  }
  nodes.setattr = (node, attributes) => {
    setNode(node, attributes)
    resized(node, attributes)
  }
  nodes.rename = (node, folder, name) => {
    const from = files.realPath(node)
    rename(node, folder, name)
    disk.renamed(from, join(files.realPath(folder), name))
  }
  nodes.unlink = (folder, name) => {
    const path = join(files.realPath(folder), name)
    unlink(folder, name)
    disk.removed(path)
  }
  nodes.mknod = (folder, name, mode, device) => {
    const node = mknod(folder, name, mode, device)
    if ((mode & KIND_OF_FILE) === REGULAR) disk.created(join(files.realPath(folder), name))
    return node
  }
}
