import { watch } from 'chokidar'
import { basename, resolve } from 'node:path'

/** Events of one directory. */
export interface NativeEvents {
  close(): Promise<void>
}

export interface EventListener {
  /** Something may have changed. */
  readonly event: () => void
  /** The directory itself was moved or removed: it may exist again, and events may have stopped. */
  readonly moved: () => void
  /** Events are unavailable: the system has no more watches, or cannot watch this directory. */
  readonly failed: (cause: unknown) => void
}

/** Starts listening. */
export type Listen = (directory: string, listener: EventListener) => NativeEvents

/**
 * The system's events of a directory and the files in it: a single watch for any number of files. Events do not name
 * the file, because they may be lost or merged; the directory must be scanned. The first event arrives when the watch
 * is active.
 */
export const listenToDirectory: Listen = (directory, { event, moved, failed }) => {
  const root = resolve(directory)
  const watcher = watch(root, {
    depth: 0,
    ignoreInitial: true,
    persistent: false,
    // Only events are used, not chokidar's own file list, which would duplicate the scan and sometimes differ from it.
    ignored: (path) => path !== root,
  })
  watcher.on('ready', event)
  watcher.on('raw', (_kind, path) => {
    const file = basename(path ?? '')
    if (file === basename(root)) moved()
    // Excludes temporary files, the readiness probe and swap files of editors.
    else if (!file.startsWith('.')) event()
  })
  watcher.on('error', failed)
  // A watch that fails to close counts as closed: it has no listener.
  return { close: () => watcher.close().catch(() => undefined) }
}
