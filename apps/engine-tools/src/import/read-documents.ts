import { ModelLibrary, type ReportedDocument, TooLarge } from '@engine/interchange'
import { refuseName } from '@engine/ruleset'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { contentOf, readError } from '../files.ts'
import { formatOf, type ImportFormat, type ImportOptions, unreadable } from './formats.ts'
import { isProjectFile } from './project-files.ts'

/** The documents that were found, and the files of folders that are none. */
export interface FoundDocuments {
  readonly documents: readonly ReportedDocument[]
  readonly skipped: readonly string[]
}

/**
 * The documents among paths, in their order. A folder stands for the documents of the format below it, apart from hidden
 * files, `node_modules` and, which are named as skipped, files of a project's tools. A decision model imports those given,
 * and those in the folders of the documents. Throws `ToolError`.
 */
export async function readDocuments(
  from: ImportFormat,
  paths: readonly string[],
  options: ImportOptions,
): Promise<FoundDocuments> {
  const format = formatOf(from)
  const files = (await Promise.all(paths.map((path) => filesOf(path, format.endings)))).flat()
  const documents: ReportedDocument[] = []
  const skipped: string[] = []
  const library = from === 'dmn' ? await libraryOf(files, format.endings) : undefined
  for (const document of files) {
    const bytes = await contentOf(document)
    if (!paths.includes(document) && isProjectFile(document, bytes)) {
      skipped.push(document)
      continue
    }
    try {
      documents.push({ document, imported: format.read(bytes, nameOf(document), document, { ...options, library }) })
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
      documents.push({ document, imported: unreadable(error.message) })
    }
  }
  return { documents, skipped }
}

/** The models among the documents and in their folders. */
async function libraryOf(files: readonly string[], endings: readonly string[]): Promise<ModelLibrary> {
  const found = new Set(files.map((file) => resolve(file)))
  for (const folder of new Set(Array.from(found, (file) => dirname(file))))
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (entry.isFile() && endings.includes(extname(entry.name))) found.add(join(folder, entry.name))
  const documents: [string, string][] = []
  for (const file of found) documents.push([file, new TextDecoder().decode(await contentOf(file))])
  return new ModelLibrary(documents)
}

async function filesOf(path: string, endings: readonly string[]): Promise<readonly string[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw readError(path, cause)
  })
  if (!found.isDirectory()) return [path]
  const entries = await readdir(path, { withFileTypes: true })
  const seen = entries
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
  const inner = seen.map((entry) => {
    const own = join(path, entry.name)
    if (entry.isDirectory()) return filesOf(own, endings)
    return Promise.resolve(entry.isFile() && endings.includes(extname(entry.name)) ? [own] : [])
  })
  return (await Promise.all(inner)).flat()
}

/** A ruleset name from a file's name. */
function nameOf(path: string): string {
  const name = basename(path, extname(path))
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 100)
  return refuseName(name) === undefined ? name : 'ruleset'
}
