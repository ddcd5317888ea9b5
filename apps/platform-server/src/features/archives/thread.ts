import { readArchive, writeArchive } from '@engine/authoring'
import { yamlForm } from '@engine/rule-file'
import { parentPort, workerData } from 'node:worker_threads'
import type { ArchiveWork } from './work.ts'

const work = workerData as ArchiveWork
parentPort?.postMessage(work.kind === 'read' ? readArchive(work.files, yamlForm) : writeArchive(work.archive, yamlForm))
