import { watch } from 'chokidar'
import { basename, resolve } from 'node:path'

/** Events of one directory. */
export interface NativeEvents {
  close(): Promise<void>
}

export interface EventListener {
  /** Something may have changed. */
  readonly event: () => void
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
export const listenToDirectory: Listen = (directory, { event, failed }) => {
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
    // Temporary files, the probe of readiness, swap files of editors.
    if (path === null || !basename(path).startsWith('.')) event()
  })
  watcher.on('error', failed)
  return { close: () => watcher.close() }
}
