import { type ArchiveFile, type ProjectArchive, readArchive } from '@engine/authoring'
import { packageFile } from '@engine/process'
import { yamlForm } from '@engine/rule-file'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { TEMPLATE_IDS } from '../../template-ids.ts'

/** A project from which new ones are created. */
export interface Template {
  /** The name of its folder. */
  readonly id: string
  readonly archive: ProjectArchive
  readonly files: readonly ArchiveFile[]
}

const FOLDER = packageFile(import.meta.url, 'templates')

/** Reads each template once, at its first use. */
export class Templates {
  readonly #read = new Map<string, Promise<Template>>()

  /** All of them. */
  all(): Promise<readonly Template[]> {
    return Promise.all(TEMPLATE_IDS.map((id) => this.#template(id)))
  }

  /** Undefined: the id is unknown. */
  async one(id: string): Promise<Template | undefined> {
    return TEMPLATE_IDS.some((known) => known === id) ? this.#template(id) : undefined
  }

  #template(id: string): Promise<Template> {
    const known = this.#read.get(id)
    if (known !== undefined) return known
    const read = readTemplate(id)
    this.#read.set(id, read)
    // A later read may succeed.
    read.catch(() => this.#read.delete(id))
    return read
  }
}

async function readTemplate(id: string): Promise<Template> {
  const folder = join(FOLDER, id)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files: ArchiveFile[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const text = await readFile(path, 'utf8')
    files.push({ path: relative(folder, path).replaceAll(sep, '/'), text })
  }
  const { archive, problems } = readArchive(files, yamlForm)
  if (archive === undefined) throw new Error(`the template ${id} has a problem: ${JSON.stringify(problems[0])}`)
  return { id, archive, files }
}
