import { join } from 'node:path'
import type { Disk, NewFile } from '../store/disk.ts'
import { attempt, makeDirectoryDurably, makeOwnDirectory } from '../store/durable-files.ts'
import type { StoreLog } from '../store/store.ts'
import type { Outbox, OutboxEvent } from './outbox.ts'
import { outboxEventOf } from './state.ts'

const FOLDER = '.outbox'
const FILE_MODE = 0o640
/** Maximum bytes of a file that is read. */
const MAX_BYTES = 2 ** 31 - 1
/** A larger file is rotated, so that each can be read in one piece. */
const MAX_FILE_BYTES = 16 * 1024 * 1024
/** A larger file is deleted once it has no pending events. */
const MIN_DELETED_BYTES = 1024 * 1024

export interface DirectoryOutboxOptions {
  readonly disk: Disk
  readonly rulesDirectory: string
  readonly log: Pick<StoreLog, 'error' | 'warn'>
}

/**
 * An outbox in files `<rules-dir>/.outbox/<n>.jsonl`: a line for each change, `{"revision", "subject", …}`, and from time to
 * time a line `{"published": revision}` for all changes up to it. Concurrent changes share one sync of the disk. A line
 * that a crash left incomplete was not acknowledged. Rejects with the system's error, or with a `StoreError` where the folder is a link.
 */
export async function openDirectoryOutbox({ disk, rulesDirectory, log }: DirectoryOutboxOptions): Promise<Outbox> {
  const folder = join(rulesDirectory, FOLDER)
  await makeDirectoryDurably(disk, rulesDirectory)
  await makeOwnDirectory(disk, folder, `\`${FOLDER}\` of the rules directory`)
  const files = (await disk.list(folder)).filter(({ kind }) => kind === 'file').map(({ name }) => name)
  const numbered = files.filter((name) => /^\d{10}\.jsonl$/.test(name)).sort()
  const events: OutboxEvent[] = []
  const found = { events, published: 0 }
  for (const name of numbered) {
    const content = await disk.read(join(folder, name), MAX_BYTES)
    if (content.kind === 'refused')
      log.error({ file: name, reason: content.reason }, 'a file of the outbox was not read')
    else readLines(Buffer.from(content.bytes).toString('utf8'), found)
  }
  return new DirectoryOutbox({ disk, folder, log }, numbered, found)
}

function readLines(text: string, found: { events: OutboxEvent[]; published: number }): void {
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, published] = /^\{"published":(\d{1,16})\}$/.exec(line) ?? []
    if (published !== undefined) {
      found.published = Math.max(found.published, Number(published))
      continue
    }
    const event = outboxEventOf(line)
    if (event !== undefined) found.events.push(event)
  }
}

interface Place {
  readonly disk: Disk
  readonly folder: string
  readonly log: Pick<StoreLog, 'error' | 'warn'>
}

class DirectoryOutbox implements Outbox {
  readonly #place: Place
  #events: OutboxEvent[]
  #lastRevision: number
  /** All files; the last one is written. */
  #files: string[]
  #nextFile: number
  #open: { readonly file: NewFile; size: number } | undefined
  #lines: string[] = []
  #published: number
  #markedUpTo: number
  /** The write in progress, and the next one, which takes all lines added in the meantime. */
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(
    place: Place,
    files: readonly string[],
    { events, published }: { events: OutboxEvent[]; published: number },
  ) {
    this.#place = place
    this.#files = [...files]
    this.#nextFile = Number(files.at(-1)?.slice(0, 10) ?? 0) + 1
    this.#events = events.filter(({ revision }) => revision > published)
    this.#lastRevision = Math.max(published, ...events.slice(-1).map(({ revision }) => revision))
    this.#published = published
    this.#markedUpTo = published
  }

  get events(): readonly OutboxEvent[] {
    return this.#events
  }

  get lastRevision(): number {
    return this.#lastRevision
  }

  append(event: OutboxEvent): Promise<void> {
    this.#events.push(event)
    this.#lastRevision = event.revision
    this.#lines.push(event.text)
    return this.#written()
  }

  published(count: number): void {
    const last = this.#events[count - 1]
    if (last === undefined) return
    this.#events.splice(0, count)
    this.#published = last.revision
    // Otherwise the next change writes the mark: readers skip an event that is published twice.
    if (this.#events.length === 0) void this.#written()
  }

  async close(): Promise<void> {
    await this.#written()
    await attempt(() => this.#close())
  }

  async #close(): Promise<void> {
    const { file } = this.#open ?? {}
    this.#open = undefined
    await file?.close()
  }

  #written(): Promise<void> {
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined
      this.#writing = this.#write()
      return this.#writing
    })
    return this.#next
  }

  async #write(): Promise<void> {
    const lines = this.#lines
    this.#lines = []
    const isSynced = lines.length > 0
    if (this.#published > this.#markedUpTo) lines.push(markOf(this.#published))
    const marked = this.#published
    try {
      const isDeletable = this.#files.length > 1 || (this.#open?.size ?? 0) > MIN_DELETED_BYTES
      if (this.#events.length === 0 && isDeletable) return await this.#deleteFiles()
      if (lines.length === 0) return
      if ((this.#open?.size ?? 0) > MAX_FILE_BYTES) await this.#close()
      this.#open ??= await this.#newFile()
      const bytes = Buffer.from(`${lines.join('\n')}\n`)
      await this.#open.file.write(bytes)
      this.#open.size += bytes.length
      this.#markedUpTo = marked
      if (isSynced) await this.#open.file.sync()
    } catch (err) {
      // The change is stored and will be published; a start compares the stored state with the broker.
      this.#place.log.error(
        { err },
        'the outbox cannot be written: changes on their way to the readers are in memory only',
      )
      await attempt(() => this.#close())
    }
  }

  async #newFile(): Promise<{ readonly file: NewFile; size: number }> {
    const { disk, folder } = this.#place
    const name = `${String(this.#nextFile++).padStart(10, '0')}.jsonl`
    const file = await disk.create(join(folder, name), FILE_MODE)
    this.#files.push(name)
    try {
      await disk.syncDirectory(folder)
    } catch (cause) {
      await attempt(() => file.close())
      throw cause
    }
    return { file, size: 0 }
  }

  /**
   * Deletes the files once all of their events are published. A new file records the revision first: otherwise a start could
   * reuse revisions, or treat files that a power failure restored as pending changes.
   */
  async #deleteFiles(): Promise<void> {
    const { disk, folder } = this.#place
    await this.#close()
    const marked = this.#published
    this.#open = await this.#newFile()
    await this.#open.file.write(Buffer.from(`${markOf(marked)}\n`))
    await this.#open.file.sync()
    this.#markedUpTo = marked
    for (const name of this.#files.splice(0, this.#files.length - 1)) await disk.unlink(join(folder, name))
  }
}

/** The line that marks everything up to this revision as published. */
function markOf(published: number): string {
  return JSON.stringify({ published })
}
