import { Gauge } from 'prom-client'
import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

test('scrapes that arrive in one turn of the event loop share one collection', async () => {
  const metrics = createMetrics('1.2.3')
  let collected = 0
  const gauge: Gauge = new Gauge({
    name: 'collected',
    help: 'Collections.',
    registers: [metrics.registry],
    collect: (): void => gauge.set(++collected),
  })
  const scraped = await Promise.all(Array.from({ length: 60 }, () => metrics.text()))
  expect(new Set(scraped).size).toBe(1)
  expect(scraped[0]).toContain('collected 1\n')
  expect(await metrics.text()).toContain('collected 2\n')
})
