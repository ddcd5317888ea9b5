import { type ArchiveFile, type ProjectArchive, readArchive, writeArchive } from '@engine/authoring'
import { jsonValue, stringifyJson } from '@engine/expression'
import { yamlForm } from '@engine/rule-file'
import { packTar } from 'modern-tar'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { bodyValues } from '../http/body-values.ts'
import { casesIn } from './suite-file.ts'
import { unsupportedTextIn } from '../database/unsupported-text.ts'
import { ArchiveFault, readTar } from './tar-reader.ts'
import type { ReadArchiveTask, Results, WriteArchiveTask } from './tasks.ts'

/** Reads an archive: megabytes of YAML take seconds. */
export async function readSentArchive(task: ReadArchiveTask): Promise<Results['read-archive']> {
  try {
    const files = 'files' in task ? task.files : await readTar(task.bytes)
    const values = bodyValues()
    const found = readArchive(files, yamlForm, values)
    if (values.left < 0) throw new ArchiveFault(`the archive holds more than ${values.max} values`, true)
    const unstorable = unsupportedTextIn(found.archive)
    return { kind: 'read', ...found, ...(unstorable !== undefined && { unstorable }) }
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error
    return { kind: 'refused', message: error.message, isTooLarge: error.isTooLarge }
  }
}

/**
 * Writes an archive: equal projects yield equal bytes. Rulesets and suites are read one at a time, so that the values
 * of the largest one bound the memory.
 */
export async function writeProjectArchive(task: WriteArchiveTask): Promise<Results['write-archive']> {
  const { archive, form } = task
  const parts = jsonValue(archive) as unknown as Omit<ProjectArchive, 'rulesets' | 'suites'>
  const files = writeArchive({ ...parts, rulesets: rulesetsOf(task), suites: suitesOf(task) }, yamlForm)
  if (form === 'json') return { bytes: filesJson(files) }
  const entries = files.map(({ path, text }) => {
    const body = Buffer.from(text)
    return { header: { name: path, size: body.length, mtime: new Date(0), mode: 0o644, uid: 0, gid: 0 }, body }
  })
  return { bytes: await promisify(gzip)(await packTar(entries)) }
}

/** The JSON text `{"files": […]}`, written file by file: one text would need twice the memory. */
function filesJson(files: readonly ArchiveFile[]): Buffer {
  const parts = files.map(({ path, text }, index) =>
    Buffer.from(`${index === 0 ? '' : ','}${stringifyJson({ path, text })}`),
  )
  return Buffer.concat([Buffer.from('{"files":['), ...parts, Buffer.from(']}')])
}

function* rulesetsOf({ rulesets }: WriteArchiveTask): Generator<ProjectArchive['rulesets'][number]> {
  for (const bytes of rulesets) yield jsonValue(textOf(bytes)) as unknown as ProjectArchive['rulesets'][number]
}

function* suitesOf({ suites }: WriteArchiveTask): Generator<ProjectArchive['suites'][number]> {
  for (const { ruleset, name, cases } of suites) yield { ruleset, name, cases: casesIn({ name, cases: textOf(cases) }) }
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
