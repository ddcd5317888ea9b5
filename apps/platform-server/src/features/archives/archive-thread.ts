import { type ProjectArchive, readArchive, writeArchive } from '@engine/authoring'
import { jsonValue, stringifyJson, type Value } from '@engine/expression'
import { yamlForm } from '@engine/rule-file'
import { parentPort, workerData } from 'node:worker_threads'
import { unstorableIn } from '../../http/unstorable.ts'
import type { ArchiveWork } from './work.ts'

const work = workerData as ArchiveWork
parentPort?.postMessage(work.kind === 'read' ? read(work) : write(work))

function read({ files }: Extract<ArchiveWork, { kind: 'read' }>): string {
  const found = readArchive(files, yamlForm)
  return stringifyJson({ ...found, unstorable: unstorableIn(found.archive) } as unknown as Value)
}

function write({ archive }: Extract<ArchiveWork, { kind: 'write' }>) {
  return writeArchive(jsonValue(archive) as unknown as ProjectArchive, yamlForm)
}
