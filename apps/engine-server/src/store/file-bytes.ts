import { endingOf, readRuleFile, type ReadRuleFile, ruleFileReading } from '@engine/rule-file'
import { isUtf8 } from 'node:buffer'
import { type Awaitable, inTurns } from '@engine/process'
import { YamlReader } from './yaml-reader.ts'

/** Largest file parsed in one piece, in bytes: a few milliseconds. */
const MAX_SYNC_BYTES = 64 * 1024
/** Largest YAML file parsed in one piece, in bytes: parsing takes about 2 s per megabyte. */
const MAX_SYNC_YAML_BYTES = 8 * 1024

/** Limits for one YAML file: more than enough for the largest one. */
const FILE_LIMITS = { milliseconds: 300_000, megabytes: 1024 } as const

/** Reads a rule file while requests are served: a large one in pieces between other requests, YAML on another thread. */
export function readWhileServing(file: string, bytes: Uint8Array): Awaitable<ReadRuleFile> {
  if (isYaml(file) && bytes.length > MAX_SYNC_YAML_BYTES && isUtf8(bytes)) return readYaml(file, bytes)
  return readAtStart(file, bytes)
}

/** Reads a rule file before any request is served: a thread for each of many YAML files would take longer. */
export function readAtStart(file: string, bytes: Uint8Array): Awaitable<ReadRuleFile> {
  return bytes.length > MAX_SYNC_BYTES ? inTurns(ruleFileReading(file, bytes)) : readRuleFile(file, bytes)
}

function isYaml(file: string): boolean {
  const ending = endingOf(file)
  return ending === '.yaml' || ending === '.yml'
}

async function readYaml(file: string, bytes: Uint8Array): Promise<ReadRuleFile> {
  const reader = new YamlReader(FILE_LIMITS)
  try {
    return await inTurns(ruleFileReading(file, bytes, await reader.convert(bytes)))
  } finally {
    reader.end()
  }
}
