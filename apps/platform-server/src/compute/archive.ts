import { type ProjectArchive, readArchive, writeArchive } from '@engine/authoring'
import { jsonValue, stringifyJson, type Value } from '@engine/expression'
import { yamlForm } from '@engine/rule-file'
import { packTar } from 'modern-tar'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { bodyValues } from '../http/body-values.ts'
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

/** Writes an archive: equal projects give equal bytes. */
export async function writeProjectArchive({ archive, form }: WriteArchiveTask): Promise<Results['write-archive']> {
  const files = writeArchive(jsonValue(archive) as unknown as ProjectArchive, yamlForm)
  if (form === 'json') return { bytes: Buffer.from(stringifyJson({ files } as unknown as Value)) }
  const entries = files.map(({ path, text }) => {
    const body = Buffer.from(text)
    return { header: { name: path, size: body.length, mtime: new Date(0), mode: 0o644, uid: 0, gid: 0 }, body }
  })
  return { bytes: await promisify(gzip)(await packTar(entries)) }
}
