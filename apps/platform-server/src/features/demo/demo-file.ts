import { parseJson, stringifyJson, type Value } from '@engine/expression'
import { starting } from '@engine/process'
import { isFields } from '@engine/ruleset'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Tokens of the demonstration. The database has only their hashes. */
export interface DemoTokens {
  /** By which an engine registers in the organization. */
  readonly connect_token: string
  /** By which the printed request decides. */
  readonly api_key: string
}

/** What the program that starts engine and platform together needs to know. */
export interface DemoState extends DemoTokens {
  /** Of the platform: a file of an earlier start has another. */
  readonly pid: number
  readonly platform_url: string
  readonly project_id: string
  readonly environment: string
  readonly ruleset: string
  readonly input: Value
  /** Of the engine that serves the environment; null: none does yet. */
  readonly engine_url: string | null
}

const fileIn = (dataDir: string) => join(dataDir, 'demo.json')

/** The tokens of an earlier start; undefined: there are none. */
export async function readDemoTokens(dataDir: string): Promise<DemoTokens | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => '')
  const parsed = parseJson(text, { duplicateKeys: 'last' })
  if (parsed.kind === 'failed' || !isFields(parsed.value)) return undefined
  const { connect_token, api_key } = parsed.value
  return typeof connect_token === 'string' && typeof api_key === 'string' ? { connect_token, api_key } : undefined
}

/** Write the file where only the user of the process can read it, as a whole. Throws `StartError`. */
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
