import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, table } from '../measure.ts'
import { startPlatformProbed, takeClientCore } from '../servers.ts'
import { probedPlace } from './place.ts'
import { requestsOf, type RequestsOf } from './requests.ts'

/** The measured figures of a request. */
type Figure = 'processor' | 'wall' | 'took' | 'growth'

const ROUNDS = Number(process.env['ROUNDS'] ?? 3)

/**
 * For how long one request keeps a platform from answering others, one request at a time. Also the response time, and
 * the memory that the platform used. A part is measured before the next one is prepared.
 */
export async function measured(parts: Readonly<Record<string, RequestsOf>>): Promise<void> {
  takeClientCore()
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'))
  const probe = join(directory, 'probe.json')
  const platform = await startPlatformProbed(directory, probe)
  try {
    const place = await probedPlace(platform, directory, probe)
    const rows: (readonly (string | number)[])[] = []
    for (const { title, send, status } of await requestsOf(place, parts)) {
      const found: { readonly [Key in Figure]: number }[] = []
      for (let round = 0; round < ROUNDS; round++) {
        await place.longest()
        place.growth()
        const begin = performance.now()
        const answer = await send()
        const took = performance.now() - begin
        if (answer.status !== status) throw new Error(`${title}: ${answer.status} ${answer.text.slice(0, 500)}`)
        found.push({ ...(await place.longest()), took, growth: place.growth() })
      }
      const of = (key: Figure) => median(found.map((one) => one[key]))
      console.error(title, of('processor'), of('took'), of('growth'))
      rows.push([title, of('processor'), of('wall'), of('took'), of('growth')])
    }
    table(['request', 'event loop held: processor ms', 'by the clock ms', 'answered after ms', 'memory added MB'], rows)
  } finally {
    await platform.stop()
    rmSync(directory, { recursive: true })
  }
}
