import { watch } from 'chokidar'
import { basename, resolve } from 'node:path'

/** Events of one directory. */
export interface NativeEvents {
  close(): Promise<void>
}

export interface EventListener {
  /** Something may have changed. */
  readonly event: () => void
  /** The directory itself was moved or removed: it may be back, and events may be none any more. */
  readonly moved: () => void
  /** There are no events, or none any more: the system has no more watches, or cannot watch this directory. */
  readonly failed: (cause: unknown) => void
}

/** Begins to listen. */
export type Listen = (directory: string, listener: EventListener) => NativeEvents

/**
 * The system's events of a directory and the files in it: one watch, however many files there are. Which file an event is
 * about is not told, because events are lost and come together; what is listened to must be looked at. The first event
 * comes when the watch is in place.
 */
export const listenToDirectory: Listen = (directory, { event, moved, failed }) => {
  const root = resolve(directory)
  const watcher = watch(root, {
    depth: 0,
    ignoreInitial: true,
    persistent: false,
    // Events as they come, and no list of files: this list would be one more beside ours, and not always the same.
    ignored: (path) => path !== root,
  })
  watcher.on('ready', event)
  watcher.on('raw', (_kind, path) => {
    const file = basename(path ?? '')
    if (file === basename(root)) moved()
    // Temporary files, the probe of readiness, swap files of editors.
    else if (!file.startsWith('.')) event()
  })
  watcher.on('error', failed)
  // A watch that cannot be closed counts as closed: it has no listener any more.
  return { close: () => watcher.close().catch(() => undefined) }
}
