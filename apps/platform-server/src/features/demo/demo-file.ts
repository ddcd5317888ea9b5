import { parseJson, stringifyJson, type Value } from '@engine/expression'
import { starting } from '@engine/process'
import { isFields } from '@engine/ruleset'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Tokens of the demo. The database stores only their hashes. */
export interface DemoTokens {
  /** Registers an engine in the organization. */
  readonly connect_token: string
  /** Authorizes the printed decision request. */
  readonly api_key: string
  /** Authorizes the requests that invite people, bind engines and change environments. */
  readonly admin_key: string
}

/** State for the program that starts engine and platform together. */
export interface DemoState extends DemoTokens {
  /** Process ID of the platform: the file of an earlier start has another one. */
  readonly pid: number
  readonly platform_url: string
  readonly project_id: string
  readonly environment: string
  readonly ruleset: string
  readonly input: Value
  /** URL of the engine that serves the environment, or null until one does. */
  readonly engine_url: string | null
}

const fileIn = (dataDir: string) => join(dataDir, 'demo.json')

/** The tokens of an earlier start for the same project, if any. */
export async function readDemoTokens(dataDir: string, projectId: string): Promise<DemoTokens | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => '')
  const parsed = parseJson(text, { duplicateKeys: 'last' })
  if (parsed.kind === 'failed' || !isFields(parsed.value)) return undefined
  if (parsed.value['project_id'] !== projectId) return undefined
  const { connect_token, api_key, admin_key } = parsed.value
  return typeof connect_token === 'string' && typeof api_key === 'string' && typeof admin_key === 'string'
    ? { connect_token, api_key, admin_key }
    : undefined
}

/** Write the file atomically, readable only by the user of the process. Throws `StartError`. */
export async function writeDemoState(dataDir: string, state: DemoState): Promise<void> {
  const file = fileIn(dataDir)
  await starting('--data-dir', file, async () => {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    const temporary = `${file}.new`
    await rm(temporary, { force: true })
    await writeFile(temporary, `${stringifyJson({ ...state })}\n`, { mode: 0o600, flag: 'wx' })
    await rename(temporary, file)
  })
}
