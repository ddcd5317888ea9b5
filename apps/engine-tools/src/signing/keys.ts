import { BadKey } from '@engine/signing'
import { contentOf } from '../files.ts'
import { withFile } from '../tool.ts'

/** The one line of a key file, parsed. Throws `ToolError`, which never contains the file's content. */
export async function readKey<Key>(path: string, parse: (text: string) => Key): Promise<{ key: Key; text: string }> {
  const text = (await contentOf(path)).toString('latin1').trim()
  return withFile(path, [BadKey], () => ({ key: parse(text), text }))
}
