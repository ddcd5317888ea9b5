import { many } from './plural.ts'

export const archives = {
  title: 'Archive',
  text: 'All rules, tests, contracts and environments as files, made to be kept in Git. Engines, people and releases stay here.',
  download: 'Download',
  restore: 'Import an archive',
  restoreText: 'Makes this project equal to an archive. Name, description and releases stay.',
  fromArchive: 'From an archive',
  fromArchiveText: 'A project that was downloaded here or elsewhere',
  choose: 'Choose an archive',
  chooseOther: 'Choose another one',
  kinds: 'A compressed tar archive (.tar.gz), or its files as JSON.',
  prune: 'Remove what the archive lacks',
  reading: 'Reading…',
  nothing: 'The archive changes nothing.',
  problems: (count: number) =>
    count === 1
      ? 'The archive has a problem: nothing is imported.'
      : `The archive has ${count} problems: nothing is imported.`,
  warnings: (count: number) => many(count, 'remark', 'remarks'),
  created: (count: number) => many(count, 'new file', 'new files'),
  changed: (count: number) => many(count, 'changed file', 'changed files'),
  removed: (count: number) => many(count, 'file to remove', 'files to remove'),
  place: (file: string, line: number | undefined) => (line === undefined ? file : `${file}, line ${line}`),
  apply: 'Import',
  make: 'Create the project',
  done: 'The archive was imported.',
}

export type ArchiveTexts = typeof archives
