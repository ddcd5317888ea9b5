import { InvalidValue } from '@engine/process'
import { BadHostPattern, parseHostPattern } from './host-patterns.ts'

/** Parses an option with comma-separated host patterns. */
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
