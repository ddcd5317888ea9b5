import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Zone {
  readonly zone: number
  readonly countries: readonly string[]
}

interface Rate {
  readonly service: string
  readonly zone: number
  readonly upToKg: number
  readonly price: number
}

/** The text of `ruleset.json`, made from `zones.csv` and `rates.csv` of a folder. */
export function rulesetText(folder: string): string {
  const read = (file: string): string[][] => rowsOf(readFileSync(join(folder, file), 'utf8'))
  const steps = stepsOf(zonesOf(read('zones.csv')), ratesOf(read('rates.csv')))
  const document = { config: CONFIG, steps: Object.fromEntries(steps.map((step) => [step.id, step])) }
  return `${compact(document, '', 0)}\n`
}

const CONFIG = {
  name: 'shipping-rates',
  version: '4.0.0',
  entry_step: 'complete',
  description: 'Price of a parcel from Germany by country, billable weight and service',
  numbers: 'decimal',
  field_missing: 'default',
  defaults: {
    'shipment.service': 'standard',
    'shipment.length_cm': 0,
    'shipment.width_cm': 0,
    'shipment.height_cm': 0,
  },
  metadata: { generated: 'by generate.ts from zones.csv and rates.csv' },
}

/** Cells of a CSV without quotes, the heading left out. */
function rowsOf(text: string): string[][] {
  const [, ...lines] = text.trimEnd().split('\n')
  return lines.map((line) => line.split(','))
}

function zonesOf(rows: readonly string[][]): Zone[] {
  return rows.map(([zone, , countries = '']) => ({ zone: Number(zone), countries: countries.split(' ') }))
}

/** One rate for each price; an empty cell is a parcel that is not carried. Lighter classes come first. */
function ratesOf(rows: readonly string[][]): Rate[] {
  return rows
    .flatMap(([service = '', upToKg, ...prices]) =>
      prices.map((price, index) => ({ service, zone: index + 1, upToKg: Number(upToKg), price })),
    )
    .filter(({ price }) => price !== '')
    .map((rate) => ({ ...rate, price: Number(rate.price) }))
    .sort((a, b) => b.service.localeCompare(a.service) || a.zone - b.zone || a.upToKg - b.upToKg)
}

function stepsOf(zones: readonly Zone[], rates: readonly Rate[]) {
  return [
    {
      id: 'complete',
      name: 'Is the parcel described?',
      type: 'decision',
      branches: [
        { condition: '!is_string(shipment.country) || !is_number(shipment.weight_kg)', next_step: 'incomplete' },
        { condition: 'shipment.weight_kg <= 0', next_step: 'incomplete' },
        { condition: 'shipment.service not in ["standard", "express"]', next_step: 'unknown_service' },
      ],
      default_next: 'billable',
    },
    {
      id: 'billable',
      name: 'Billable weight: the larger of weight and volume',
      type: 'action',
      actions: [
        set('volume_kg', 'shipment.length_cm * shipment.width_cm * shipment.height_cm / 5000'),
        set('kg', 'max(shipment.weight_kg, $volume_kg)'),
      ],
      next_step: 'zone',
    },
    {
      id: 'zone',
      name: 'Zone of the country',
      type: 'decision',
      branches: zones.map(({ zone, countries }) => ({
        condition: `shipment.country in ${list(countries)}`,
        next_step: 'rate',
        actions: [set('zone', zone)],
      })),
      default_next: 'not_served',
    },
    {
      id: 'rate',
      name: 'Price by service, zone and weight class',
      type: 'decision',
      branches: rates.map(({ service, zone, upToKg, price }) => ({
        condition: `shipment.service == "${service}" && $zone == ${zone} && $kg <= ${upToKg}`,
        next_step: 'quoted',
        actions: [set('price', price), set('class', upToKg)],
      })),
      default_next: 'too_heavy',
    },
    end('quoted', 'Quoted', {
      code: 'QUOTED',
      message: 'price by zone and weight class',
      output: [
        ['price_eur', '$price'],
        ['zone', '$zone'],
        ['billable_kg', 'round($kg, 2)'],
        ['class_up_to_kg', '$class'],
      ],
    }),
    end('too_heavy', 'Too heavy', {
      code: 'TOO_HEAVY',
      message: 'heavier than what this service carries to this zone',
      output: [
        ['zone', '$zone'],
        ['billable_kg', 'round($kg, 2)'],
      ],
    }),
    end('not_served', 'Country not served', { code: 'NOT_SERVED', message: 'nothing is shipped to this country' }),
    end('unknown_service', 'Unknown service', {
      code: 'UNKNOWN_SERVICE',
      message: 'the service must be standard or express',
    }),
    end('incomplete', 'Incomplete', {
      code: 'INCOMPLETE',
      message: 'country (two letters) and a weight above zero are needed',
    }),
  ]
}

function set(name: string, value: string | number) {
  return { action: 'set_variable', name, value }
}

function end(id: string, name: string, result: object) {
  return { id, name, type: 'terminal', result }
}

function list(texts: readonly string[]): string {
  return `[${texts.map((text) => `"${text}"`).join(', ')}]`
}

/** JSON with one line for each branch and action, so that a change of a price is a change of one line. */
function compact(value: unknown, indent: string, depth: number): string {
  const whole = JSON.stringify(value)
  const isRow = typeof value !== 'object' || value === null || (depth > 0 && whole.length < 90) || isBranch(value)
  if (isRow) return whole
  const inner = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((item) => inner + compact(item, inner, depth + 1))
    : Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${compact(item, inner, depth + 1)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

function isBranch(value: object): boolean {
  return 'condition' in value
}
