import { byteChunks } from '@engine/process'
import { createReadStream } from 'node:fs'
import { readError } from '../files.ts'
import { ToolError } from '../tool.ts'

/** Bytes of one line. */
const MAX_LINE = 64 * 1024 * 1024
const LINE_FEED = 0x0a

/** A line of a file without its end; `text` is undefined when its bytes are not UTF-8. */
export interface TextLine {
  readonly text: string | undefined
  /** False for a last line without a line feed. */
  readonly isComplete: boolean
}

/** The text of bytes; undefined when they are not UTF-8. A byte order mark is kept. */
export function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The lines of a file, each as soon as it is read. Only a line feed ends a line. Throws `ToolError`. */
export async function* textLines(path: string): AsyncGenerator<TextLine> {
  let begun: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of byteChunks(createReadStream(path))) {
      let from = 0
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
        yield { text: utf8Of(Buffer.concat([...begun, chunk.subarray(from, end)])), isComplete: true }
        begun = []
        size = 0
        from = end + 1
      }
      if (from === chunk.length) continue
      begun.push(chunk.subarray(from))
      size += chunk.length - from
      if (size > MAX_LINE) throw new ToolError(`${path}: a line has more than ${MAX_LINE} bytes`)
    }
  } catch (cause) {
    throw cause instanceof ToolError ? cause : readError(path, cause)
  }
  if (begun.length > 0) yield { text: utf8Of(Buffer.concat(begun)), isComplete: false }
}
