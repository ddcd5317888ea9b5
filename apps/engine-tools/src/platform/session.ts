import { isObject, jsonValue, stringifyJson } from '@engine/expression'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { codeOf, writeError } from '../files.ts'
import { ToolError } from '../tool.ts'

/** A person who is signed in at a platform. */
export interface Session {
  /** URL of the platform, without a trailing slash. */
  readonly url: string
  /** The header `cookie`. */
  readonly cookie: string
}

/** Where the session is kept between two commands. */
export function sessionFile(env: Readonly<Record<string, string | undefined>>): string {
  return join(env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'engine', 'session.json')
}

/** Undefined: there is none. Rejects with a `ToolError` for a file that cannot be read. */
export async function readSession(file: string): Promise<Session | undefined> {
  try {
    const content = jsonValue(await readFile(file, 'utf8'))
    const { url, cookie } = isObject(content) ? content : {}
    if (typeof url === 'string' && typeof cookie === 'string') return { url, cookie }
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw new ToolError(`${file}: cannot be read: sign in again with \`engine login\``)
  }
  throw new ToolError(`${file}: not a session file: sign in again with \`engine login\``)
}

/** Only its owner can read the file: its content is a session. It is never there in part. */
export async function writeSession(file: string, session: Session): Promise<void> {
  const partial = `${file}.${process.pid}.new`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(partial, `${stringifyJson({ url: session.url, cookie: session.cookie })}\n`, {
      mode: 0o600,
      flag: 'wx',
    })
    await rename(partial, file)
  } catch (cause) {
    await rm(partial, { force: true })
    throw writeError(file, cause)
  }
}

export const removeSession = (file: string): Promise<void> => rm(file, { force: true })
