import { placed } from './problem.ts'

/** The command failed, or the file is not valid. One line for the user; exit code 1. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** An error about the content of a file, with its position if there is one. */
type FileFault = abstract new (...args: never[]) => Error & { readonly path?: string }

/** Process the content of a file: errors of these kinds become a `ToolError` about the file. */
export function withFile<T>(file: string, faults: readonly FileFault[], run: () => T): T {
  try {
    return run()
  } catch (error) {
    for (const fault of faults)
      if (error instanceof fault) throw new ToolError(placed(file, { path: error.path ?? '', message: error.message }))
    throw error
  }
}
