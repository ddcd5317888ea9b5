import type { Content, Disk, NewFile } from '../store/disk.ts'
import type { Random } from './random.testing.ts'

interface File {
  readonly chunks: Buffer[]
  /** So many of them survive a power failure for certain. */
  synced: number
}

/** The medium: after a power failure its content depends on the syncs. */
export interface SimulatedDisk {
  /**
   * The disk as one run of a process sees it.
   *
   * @param step before each step, with its name: it may take its time, reject with the error of the disk, or never resolve
   */
  mount(step?: (name: string) => Promise<void>): Disk
  /** Unsynced data survives partially: a prefix of each file, some changes of each directory. */
  losePower(random: Random): void
  /** Steps that were begun, by name. */
  readonly steps: readonly string[]
  readonly paths: readonly string[]
  text(path: string): string
  write(path: string, bytes: Uint8Array | string): void
}

/** A disk in memory with one flat directory; directories are there as soon as they are made. */
export function simulatedDisk(): SimulatedDisk {
  let files = new Map<string, File>()
  /** The directory as it was synced last. */
  let listed = new Map<string, File>()
  const steps: string[] = []

  function mount(step: (name: string) => Promise<void> = () => Promise.resolve()): Disk {
    const at = async (name: string) => {
      steps.push(name)
      await step(name)
    }
    const found = (path: string): File => {
      const file = files.get(path)
      if (file === undefined) throw errorOf('ENOENT')
      return file
    }
    return {
      async create(path) {
        await at('create')
        if (files.has(path)) throw errorOf('EEXIST')
        const file: File = { chunks: [], synced: 0 }
        files.set(path, file)
        return {
          async write(bytes) {
            // As a real one, it may fail with a part of the bytes written.
            file.chunks.push(Buffer.from(bytes.subarray(0, bytes.length / 2)))
            await at('write')
            file.chunks.push(Buffer.from(bytes.subarray(bytes.length / 2)))
          },
          async sync() {
            const length = lengthOf(file)
            await at('sync')
            file.synced = Math.max(file.synced, length)
          },
          close: () => at('close'),
        } satisfies NewFile
      },
      async read(path): Promise<Content> {
        await at('read')
        return { kind: 'bytes', bytes: Buffer.concat(found(path).chunks) }
      },
      async list(path) {
        await at('list')
        const names = Array.from(files.keys()).filter((name) => name.startsWith(`${path}/`))
        return names.map((name) => ({ name: name.slice(path.length + 1), kind: 'file' }))
      },
      async kind(path) {
        await at('kind')
        return files.has(path) ? 'file' : 'directory'
      },
      async rename(from, to) {
        await at('rename')
        files.set(to, found(from))
        files.delete(from)
      },
      async unlink(path) {
        await at('unlink')
        found(path)
        files.delete(path)
      },
      makeDirectory: () => at('makeDirectory'),
      async syncDirectory() {
        const now = new Map(files)
        await at('syncDirectory')
        listed = now
      },
    }
  }

  function losePower(random: Random): void {
    const left = new Map<string, File>()
    for (const path of new Set([...listed.keys(), ...files.keys()])) {
      const [before, after] = [listed.get(path), files.get(path)]
      const file = before === after || random() < 0.5 ? after : before
      if (file === undefined) continue
      const length = file.synced + Math.floor(random() * (lengthOf(file) - file.synced + 1))
      left.set(path, { chunks: [Buffer.concat(file.chunks).subarray(0, length)], synced: length })
    }
    files = left
    listed = new Map(left)
  }

  return {
    mount,
    losePower,
    steps,
    get paths() {
      return [...files.keys()].sort()
    },
    text: (path) => Buffer.concat(files.get(path)?.chunks ?? []).toString('utf8'),
    write(path, bytes) {
      const content = Buffer.from(bytes)
      const file = { chunks: [content], synced: content.length }
      files.set(path, file)
      listed.set(path, file)
    },
  }
}

function lengthOf({ chunks }: File): number {
  return chunks.reduce((length, chunk) => length + chunk.length, 0)
}

function errorOf(code: string): Error {
  return Object.assign(new Error(code), { code })
}
