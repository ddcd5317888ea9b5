import { appendLines, findDirectoryFault } from '../audit/file.ts'
import { createDiskWriter, type FileSystem } from '../store/disk.ts'
import { replaceFile, type Replacement, type ReplacementOutcome } from '../store/replacement.ts'

/** The work on the disk that each change of a ruleset needs. Arguments and results are plain data or errors of the system. */
export interface DiskJobs {
  /** See `replaceFile`. */
  replace(replacement: Replacement): Promise<ReplacementOutcome>
  /** See `appendLines`. */
  append(path: string, text: string, isDurable: boolean): Promise<void>
  /** See `findDirectoryFault`. */
  findDirectoryFault(directory: string): Promise<unknown>
}

export function createDiskJobs(system: FileSystem): DiskJobs {
  const disk = createDiskWriter(system)
  return {
    replace: (replacement) => replaceFile(disk, replacement),
    append: (path, text, isDurable) => appendLines(path, text, isDurable, system),
    findDirectoryFault: (directory) => findDirectoryFault(directory, system),
  }
}
