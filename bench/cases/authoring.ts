import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { probedPlace } from '../authoring/place.ts'
import { requests } from '../authoring/requests.ts'
import { median, table } from '../measure.ts'
import { startPlatformProbed, takeClientCore } from '../servers.ts'

/** What is measured of a request. */
type Figure = 'processor' | 'wall' | 'took' | 'growth'

const ROUNDS = Number(process.env['ROUNDS'] ?? 3)

/**
 * For how long one request of an author keeps the platform from answering others: the largest bodies that each route takes,
 * one request at a time. Beside it the time until the answer. `MIB=n` is their size. A busy machine takes
 * longer than the platform lets one take: then take smaller ones.
 */
export async function authoring(): Promise<void> {
  takeClientCore()
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'))
  const probe = join(directory, 'probe.json')
  const platform = await startPlatformProbed(directory, probe)
  try {
    const place = await probedPlace(platform, directory, probe)
    const rows: (readonly (string | number)[])[] = []
    for (const { title, send, status } of await requests(place)) {
      const measured: { readonly [Key in Figure]: number }[] = []
      for (let round = 0; round < ROUNDS; round++) {
        await place.longest()
        place.growth()
        const begin = performance.now()
        const answer = await send()
        const took = performance.now() - begin
        if (answer.status !== status) throw new Error(`${title}: ${answer.status} ${answer.text.slice(0, 500)}`)
        measured.push({ ...(await place.longest()), took, growth: place.growth() })
      }
      const of = (key: Figure) => median(measured.map((one) => one[key]))
      console.error(title, of('processor'), of('took'), of('growth'))
      rows.push([title, of('processor'), of('wall'), of('took'), of('growth')])
    }
    table(['request', 'event loop held: processor ms', 'by the clock ms', 'answered after ms', 'memory added MB'], rows)
  } finally {
    await platform.stop()
    rmSync(directory, { recursive: true })
  }
}
