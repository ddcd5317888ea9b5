import type { ArchiveFile } from '@engine/authoring'
import { HttpError } from '@engine/http-server'
import { packTar, unpackTar } from 'modern-tar'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { ARCHIVE_BYTES, MOST_FILES } from './model.ts'

/** The files of a project as a compressed tar archive: equal files give equal bytes. */
export async function packed(files: readonly ArchiveFile[]): Promise<Buffer> {
  const entries = files.map(({ path, text }) => {
    const body = Buffer.from(text)
    return { header: { name: path, size: body.length, mtime: new Date(0), mode: 0o644, uid: 0, gid: 0 }, body }
  })
  return promisify(gzip)(await packTar(entries))
}

/** Heads of files and directories, and the blocks that their contents fill. */
const HEADS = MOST_FILES * 1536

/**
 * The files of a compressed tar archive, which is unfolded within the limit of archives and never written to a disk. Links,
 * devices and paths that lead out of the folder are refused. The one folder that all files are in, as `tar` makes it of a
 * folder, is left out. Throws 400 and 413.
 */
export async function unpacked(bytes: Buffer): Promise<readonly ArchiveFile[]> {
  const entries = await unpackTar(await unfolded(bytes), { strict: true }).catch((error: unknown) => {
    throw unreadable(error instanceof Error ? error.message : 'it cannot be read')
  })
  if (entries.length > 2 * MOST_FILES) throw tooLarge(`more than ${MOST_FILES} files`)
  const files: ArchiveFile[] = []
  for (const { header, data } of entries) {
    const path = header.name.replace(/^(?:\.\/)+/, '')
    if (header.type === 'directory' || header.type === 'pax-global-header' || path === '') continue
    if (header.type !== 'file' && header.type !== undefined)
      throw unreadable(`\`${path}\` is a ${header.type}: an archive has plain files only`)
    if (!isInside(path)) throw unreadable(`the path \`${path}\` leads out of the archive`)
    files.push({ path, text: textOf(path, data ?? new Uint8Array()) })
  }
  if (files.length > MOST_FILES) throw tooLarge(`more than ${MOST_FILES} files`)
  return withoutFolder(files)
}

async function unfolded(bytes: Buffer): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: ARCHIVE_BYTES + HEADS })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(`more than ${ARCHIVE_BYTES} bytes`)
    throw unreadable('it is not compressed with gzip')
  }
}

const isInside = (path: string) =>
  !path.startsWith('/') &&
  !/[\\\0]/.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '..' && part !== '.')

function textOf(path: string, data: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data)
  } catch {
    // A picture beside the project is not ours; a file of the project is reported by its reader.
    return path.endsWith('.json') || path.endsWith('.yaml') ? '\uFFFD' : ''
  }
}

function withoutFolder(files: readonly ArchiveFile[]): readonly ArchiveFile[] {
  const [first] = files
  const folder = first === undefined ? '' : first.path.slice(0, first.path.indexOf('/') + 1)
  const isCommon = folder !== '' && files.every(({ path }) => path.startsWith(folder))
  const holdsProject = files.some(({ path }) => path === `${folder}project.json`)
  if (!isCommon || !holdsProject) return files
  return files.map(({ path, text }) => ({ path: path.slice(folder.length), text }))
}

const unreadable = (reason: string) =>
  new HttpError('invalid-request', `the archive is no compressed tar archive that can be read: ${reason}`)
const tooLarge = (what: string) => new HttpError('payload-too-large', `the archive holds ${what}`)
