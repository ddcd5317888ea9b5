import { isDecimal, numberOfText } from '@engine/expression'
import type { ScalarTag, Tags } from 'yaml'

/** Fractions in YAML: one with more digits than a double preserves is a decimal. */
const FRACTION: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: isDecimal,
  test: /^-?(?:0|[1-9]\d*)\.\d+(?:[eE][-+]?\d+)?$/,
  resolve(text) {
    const decimal = numberOfText(text)
    return decimal !== undefined && isDecimal(decimal) ? decimal : Number(text)
  },
  stringify: ({ value }) => String(value),
}

/** The tags of a schema, and a tag for fractions with all their digits. */
export const withDecimals = (tags: Tags): Tags => [FRACTION, ...tags]
