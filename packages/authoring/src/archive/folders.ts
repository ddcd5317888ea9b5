import { tableKeys } from '@engine/expression'
import type { Value, ValueAllowance } from '@engine/expression'
import { messages, Report } from '../problem.ts'
import type { ArchiveFile, YamlForm } from './archive.ts'
import { type ArchiveDocument, readDocument } from './document.ts'
import { nameOfFile } from './file-name.ts'

/** A parsed document. */
export interface Item<Content> {
  readonly document: ArchiveDocument
  /** From the file's path. */
  readonly name: string
  /** The owning ruleset, from the folder; else empty. */
  readonly ruleset: string
  readonly content: Content
}

/** Folders of an archive, each with an example path. */
const FOLDERS = {
  rulesets: 'rulesets/name.json',
  'sub-rules': 'sub-rules/name.json',
  contracts: 'contracts/name.json',
  facts: 'facts/name.json',
  concepts: 'concepts/name.json',
  tests: 'tests/ruleset/suite.yaml',
  inputs: 'inputs/ruleset/name.json',
} as const

export type Folder = keyof typeof FOLDERS

export const PROJECT_FILE = 'project.json'

/** The files of an archive by folder. */
export interface SortedFiles {
  readonly documents: readonly ArchiveDocument[]
  readonly project: ArchiveDocument
  readonly folders: ReadonlyMap<Folder, readonly Item<Value>[]>
  /** Names of the rulesets, including unreadable ones. */
  readonly rulesets: ReadonlySet<string>
}

/** Reads the files of an archive; files outside its folders belong to other programs and are skipped. */
export function sortFiles(files: readonly ArchiveFile[], yaml: YamlForm, values?: ValueAllowance): SortedFiles {
  const documents = new Map<string, ArchiveDocument>()
  const folders = new Map<Folder, Item<Value>[]>()
  const rulesets = new Set<string>()
  for (const file of files.toSorted(byPath)) {
    const { path } = file
    const folder = folderOf(path)
    if (path !== PROJECT_FILE && folder === undefined) continue
    const first = documents.get(path)
    if (first !== undefined) {
      first.report.error(undefined, messages.repeatedFile())
      continue
    }
    const names = folder === undefined ? undefined : namesIn(path, FOLDERS[folder])
    const document =
      folder !== undefined && names === undefined ? emptyDocument(path) : readDocument(file, yaml, values)
    documents.set(path, document)
    if (folder === undefined) continue
    if (folder === 'rulesets' && names !== undefined) rulesets.add(names.name)
    if (names === undefined) document.report.error(undefined, messages.unknownFile(FOLDERS[folder]))
    else if (document.value !== undefined) {
      const items = folders.get(folder) ?? []
      items.push({ document, ...names, content: document.value })
      folders.set(folder, items)
    }
  }
  const project = documents.get(PROJECT_FILE) ?? emptyDocument(PROJECT_FILE)
  if (documents.has(PROJECT_FILE)) return { documents: [...documents.values()], project, folders, rulesets }
  project.report.error(undefined, messages.noProject())
  return { documents: [project, ...documents.values()], project, folders, rulesets }
}

/** Path order, which is the order of names. */
export const byPath = ({ path: left }: { readonly path: string }, { path: right }: { readonly path: string }) =>
  left < right ? -1 : Number(left > right)

function folderOf(path: string): Folder | undefined {
  const [folder, ...rest] = path.split('/')
  if (rest.length === 0) return undefined
  return tableKeys(FOLDERS).find((known) => known === folder)
}

/** The names in a path; undefined when it does not match the example. */
function namesIn(path: string, example: string): { readonly name: string; readonly ruleset: string } | undefined {
  const ending = example.slice(example.lastIndexOf('.'))
  const [, ...parts] = path.split('/')
  if (parts.length !== example.split('/').length - 1 || !path.endsWith(ending)) return undefined
  const name = nameOfFile((parts.at(-1) ?? '').slice(0, -ending.length))
  const ruleset = parts.length === 1 ? '' : nameOfFile(parts[0] ?? '')
  return name === undefined || name === '' || ruleset === undefined ? undefined : { name, ruleset }
}

function emptyDocument(path: string): ArchiveDocument {
  const report = new Report()
  const problems = () => report.problems.map((problem) => ({ ...problem, file: path }))
  return { path, value: undefined, report, problems }
}
