import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { run } from '../clients/command.ts'
import type { ConsumerCheck } from './project.ts'

const digest = (file: string) => createHash('sha512').update(readFileSync(file)).digest('hex')

const kilobytes = (file: string) => `${basename(file, '.tgz')} ${(statSync(file).size / 1000).toFixed(0)} kB`

/** Checks of the tarballs themselves. */
export const TARBALLS: readonly ConsumerCheck[] = [
  {
    name: 'pack',
    async run({ tarballs }) {
      for (const file of tarballs) {
        const listed = await run('tar', ['tzf', file])
        for (const wanted of ['package/LICENSE', 'package/README.md', 'package/package.json'])
          if (!listed.includes(`${wanted}\n`)) throw new Error(`${basename(file)} lacks ${wanted}`)
        const unwanted = listed.split('\n').filter((path) => /\.test\.|\.testing\.|(?<!\.d)\.tsx?$/.test(path))
        if (unwanted.length > 0) throw new Error(`${basename(file)} has ${unwanted.join(', ')}`)
      }
      return tarballs.map(kilobytes).join(', ')
    },
  },
  {
    name: 'pack again gives the same bytes',
    async run({ tarballs, tools }) {
      const again = tools.path('again')
      if (!existsSync(again)) mkdirSync(again)
      for (const file of tarballs) {
        const folder = join(dirname(file), basename(file).replace(/^[^-]+-(.*)-\d+\.\d+\.\d+.*$/, '$1'))
        await run('npm', ['pack', folder, '--ignore-scripts', '--pack-destination', again])
        if (digest(join(again, basename(file))) !== digest(file)) throw new Error(`${basename(file)} differs`)
      }
      return `${tarballs.length} tarballs`
    },
  },
  {
    name: 'publint',
    async run({ tarballs, tools }) {
      await tools.install('publint@0.3.25')
      for (const file of tarballs) await run(tools.bin('publint'), ['run', file, '--strict'], { cwd: tools.folder })
      return `${tarballs.length} tarballs without an error or warning`
    },
  },
]
