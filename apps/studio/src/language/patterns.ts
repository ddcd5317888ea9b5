import type { RE2JS as Library } from 're2js'

/**
 * The part of `re2js` that `@engine/expression` uses, for the worker: the library is nearly half of its bytes, and most rulesets
 * have no regular expression. The bundler puts this module in its place.
 */
let library: typeof Library | undefined
let isMissed = false

export const RE2JS = {
  compile(pattern: string): Library {
    if (library === undefined) {
      isMissed = true
      throw new Error('the reader of regular expressions has not arrived')
    }
    return library.compile(pattern)
  },
}

/** Whether a task came to a regular expression before the library was there. Then it is there now, and the task is to be done again. */
export async function arrivedLate(): Promise<boolean> {
  if (!isMissed) return false
  isMissed = false
  await loadPatterns()
  return true
}

/** Have the library for all tasks from now on. */
export async function loadPatterns(): Promise<void> {
  ;({ RE2JS: library } = await import('re2js'))
}
