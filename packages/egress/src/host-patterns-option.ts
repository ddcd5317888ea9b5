import { InvalidValue } from '@engine/process'
import { BadHostPattern, parseHostPattern } from './host-patterns.ts'

/** The value of an option that lists patterns of hosts, separated by commas. */
export function hostPatterns(text: string): readonly string[] {
  return text.split(',').map((part) => {
    const pattern = part.trim()
    try {
      parseHostPattern(pattern)
      return pattern
    } catch (error) {
      if (error instanceof BadHostPattern) throw new InvalidValue(error.message)
      throw error
    }
  })
}
