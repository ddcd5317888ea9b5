import { type Value } from '@engine/expression'
import { readStartFile, StartError } from '@engine/process'
import { readRuleFile } from '@engine/rule-file'
import { isUtf8 } from 'node:buffer'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join, parse, resolve } from 'node:path'
import { DEFAULT_TENANT, refuseTenantId } from '../store/tenant-id.ts'
import { decodeEntities, type Entities } from './entities.ts'
import { ConfigurationFileError } from './file-fields.ts'
import { ALL_RULESETS, decodeFlags, type Flags } from './flags.ts'
import { decodeMapping, type Mapping } from './mapping.ts'
import { createPageTokens, type PageTokens } from './page-token.ts'

/** The content of a file. */
interface SourceFile {
  readonly option: string
  readonly path: string
  readonly bytes: Uint8Array
}

/** The contents of the AuthZEN and OFREP files; the owner sends them to its workers. */
export interface StandardFiles {
  /** By tenant, `DEFAULT_TENANT` if the server has no tenants; undefined if AuthZEN is off. */
  readonly authzen:
    | ReadonlyMap<string, { readonly mapping: SourceFile; readonly entities: SourceFile | undefined }>
    | undefined
  /** The key that signs page tokens. */
  readonly tokenKey: Uint8Array
  /** Undefined if OFREP is off. */
  readonly ofrep: { readonly mode: Flags['mode']; readonly file: SourceFile | undefined } | undefined
}

/** A mapping with the entities that it names. */
export interface AuthzenMapping {
  readonly mapping: Mapping
  /** Undefined if the mapping names no file. */
  readonly entities: Entities | undefined
}

/** The interfaces of AuthZEN and OFREP as configured. */
export interface Standards {
  /** By tenant, `DEFAULT_TENANT` if the server has no tenants; undefined if AuthZEN is off. */
  readonly authzen: ReadonlyMap<string, AuthzenMapping> | undefined
  readonly pageTokens: PageTokens
  /** Undefined if OFREP is off. */
  readonly flags: Flags | undefined
}

/** Maximum size of a mapping or a flags file: YAML is parsed in one piece. */
const MAX_CONFIGURATION_BYTES = 256 * 1024
/** Maximum size of an entities file. */
const MAX_ENTITIES_BYTES = 128 * 1024 * 1024
/** Limits for the size of a key: fewer than 16 bytes could be guessed. */
const KEY_BYTES = { least: 16, most: 4096 } as const
/** Maximum number of tenants with a mapping. */
const MAX_MAPPINGS = 10_000
/** Timeout for the writer of a pipe. */
const PIPE_TIMEOUT_MS = 10_000

/** The exit code of a start with an invalid file. */
const EXIT_INVALID_FILE = 2

/** The options that name the files; they are described with the other options. */
interface StandardOptions {
  readonly authzenConfig: string | undefined
  readonly authzenTokenKey: string | undefined
  readonly ofrep: 'off' | Flags['mode']
  readonly ofrepConfig: string | undefined
  readonly multiTenancyEnabled: boolean
}

/**
 * Reads the files of these options. Throws `StartError`.
 *
 * @param before the files that were read last; undefined at start
 */
async function readStandardFiles(
  configuration: StandardOptions,
  before: StandardFiles | undefined,
): Promise<StandardFiles> {
  const { authzenConfig, authzenTokenKey, ofrep, ofrepConfig } = configuration
  const read = (option: string, path: string, bytes: number) => sourceOf(option, path, bytes, before !== undefined)
  return {
    authzen: authzenConfig === undefined ? undefined : await mappingFiles(authzenConfig, configuration, read),
    tokenKey: await tokenKeyOf(authzenTokenKey, before, read),
    ofrep:
      ofrep === 'off'
        ? undefined
        : {
            mode: ofrep,
            file:
              ofrepConfig === undefined
                ? undefined
                : await read('--ofrep-config', ofrepConfig, MAX_CONFIGURATION_BYTES),
          },
  }
}

type ReadSource = (option: string, path: string, bytes: number) => Promise<SourceFile>

async function tokenKeyOf(
  path: string | undefined,
  before: StandardFiles | undefined,
  read: ReadSource,
): Promise<Uint8Array> {
  if (path === undefined) return before?.tokenKey ?? randomBytes(32)
  const { bytes } = await read('--authzen-token-key', path, KEY_BYTES.most)
  if (bytes.length >= KEY_BYTES.least) return bytes
  throw refused('--authzen-token-key', path, `it has ${bytes.length} bytes, at least ${KEY_BYTES.least} are needed`)
}

/** With tenants, the folder `authzen` next to the file contains the mapping of every tenant except the default one. */
async function mappingFiles(
  path: string,
  { multiTenancyEnabled }: StandardOptions,
  read: ReadSource,
): Promise<StandardFiles['authzen']> {
  const paths = new Map([[DEFAULT_TENANT, path]])
  if (multiTenancyEnabled) for (const [tenant, one] of await tenantFiles(path)) paths.set(tenant, one)
  const files = new Map<string, { readonly mapping: SourceFile; readonly entities: SourceFile | undefined }>()
  for (const [tenant, one] of paths) {
    const mapping = await read('--authzen-config', one, MAX_CONFIGURATION_BYTES)
    const { entities } = inFile(mapping, () => decodeMapping(documentOf(mapping)))
    files.set(tenant, {
      mapping,
      entities:
        entities === undefined
          ? undefined
          : await read('--authzen-config', resolve(dirname(one), entities), MAX_ENTITIES_BYTES),
    })
  }
  return files
}

const ENDINGS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json'])

async function tenantFiles(path: string): Promise<ReadonlyMap<string, string>> {
  const folder = join(dirname(path), 'authzen')
  const found = new Map<string, string>()
  let names: readonly string[]
  try {
    names = await readdir(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return found
    throw refused('--authzen-config', folder, 'it cannot be read as a folder')
  }
  for (const name of [...names].sort()) {
    const { name: tenant, ext } = parse(name)
    if (!ENDINGS.has(ext)) continue
    const file = join(folder, name)
    const refusal = refuseTenantId(tenant)
    if (refusal !== undefined) throw refused('--authzen-config', file, `its name is no tenant: it ${refusal}`)
    if (tenant === DEFAULT_TENANT || found.has(tenant))
      throw refused('--authzen-config', file, `the tenant \`${tenant}\` has another mapping already`)
    found.set(tenant, file)
  }
  if (found.size > MAX_MAPPINGS) throw refused('--authzen-config', folder, `it has more than ${MAX_MAPPINGS} mappings`)
  return found
}

/** Reads a file. A pipe cannot be read a second time. */
async function sourceOf(option: string, path: string, bytes: number, isAgain: boolean): Promise<SourceFile> {
  if (isAgain && (await stat(path).catch(() => undefined))?.isFile() === false)
    throw refused(option, path, 'it is not a regular file: it cannot be read again')
  try {
    return { option, path, bytes: await readStartFile(option, path, { bytes, pipeMs: PIPE_TIMEOUT_MS }) }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    throw new StartError(error.message, { cause: error, exitCode: EXIT_INVALID_FILE })
  }
}

function refused(option: string, path: string, reason: string): StartError {
  return new StartError(`${option}: cannot use \`${path}\`: ${reason}`, { exitCode: EXIT_INVALID_FILE })
}

/** Decodes a file. Throws `StartError` that names it. */
function inFile<T>({ option, path }: SourceFile, decode: () => T): T {
  try {
    return decode()
  } catch (error) {
    if (error instanceof ConfigurationFileError) throw refused(option, path, error.message)
    throw error
  }
}

function documentOf({ path, bytes }: SourceFile): Value {
  const ending = parse(path).ext
  const read = readRuleFile(ENDINGS.has(ending) ? path : 'file.json', bytes)
  if ('reason' in read) throw new ConfigurationFileError(read.reason)
  return read.document
}

function textOf({ bytes }: SourceFile): string {
  if (!isUtf8(bytes)) throw new ConfigurationFileError('it is not valid UTF-8')
  return Buffer.from(bytes).toString('utf8')
}

/** Decodes the files. Other work runs between large parts. Rejects with a `StartError` that names the invalid file. */
export async function decodeStandards({ authzen, tokenKey, ofrep }: StandardFiles): Promise<Standards> {
  const mappings = new Map<string, AuthzenMapping>()
  for (const [tenant, { mapping, entities }] of authzen ?? [])
    mappings.set(tenant, {
      mapping: inFile(mapping, () => decodeMapping(documentOf(mapping))),
      entities: entities === undefined ? undefined : await entitiesOf(entities),
    })
  return {
    authzen: authzen === undefined ? undefined : mappings,
    pageTokens: createPageTokens(tokenKey),
    flags: ofrep === undefined ? undefined : flagsOf(ofrep),
  }
}

async function entitiesOf(file: SourceFile): Promise<Entities> {
  const text = inFile(file, () => textOf(file))
  try {
    return await decodeEntities(text)
  } catch (error) {
    throw inFile(file, () => {
      throw error
    })
  }
}

function flagsOf({ mode, file }: NonNullable<StandardFiles['ofrep']>): Flags {
  if (file === undefined) return ALL_RULESETS
  const identity = createHash('sha256').update(mode).update(file.bytes).digest('hex')
  return inFile(file, () => decodeFlags(documentOf(file), mode, identity))
}

/** The options that name these files. */
function optionsOf({ authzen, ofrep }: StandardFiles): readonly string[] {
  return [
    ...(authzen === undefined ? [] : ['--authzen-config']),
    ...(ofrep?.file === undefined ? [] : ['--ofrep-config']),
  ]
}

/** The interfaces of AuthZEN and OFREP in the process that reads their files. */
export interface StandardsInUse {
  /** Read by routes with each request. */
  readonly current: Standards
  readonly files: StandardFiles
  /**
   * Reads the files again; returns their options. Rejects with a `StartError`, without a change, if one of them is
   * invalid.
   */
  reload(): Promise<readonly string[]>
}

/** Reads the files of the options. Rejects with a `StartError` if one of them is invalid. */
export async function openStandards(configuration: StandardOptions): Promise<StandardsInUse> {
  let files = await readStandardFiles(configuration, undefined)
  let current = await decodeStandards(files)
  return {
    get current() {
      return current
    },
    get files() {
      return files
    },
    async reload() {
      const now = await readStandardFiles(configuration, files)
      current = await decodeStandards(now)
      files = now
      return optionsOf(now)
    },
  }
}
