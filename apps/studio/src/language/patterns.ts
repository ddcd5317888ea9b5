import type { RE2JS as Library } from 're2js'

/**
 * The part of `re2js` that `@engine/expression` uses, for the worker: the library makes up nearly half of the worker,
 * and most rulesets have no regular expression. The bundler substitutes this module for it.
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

/**
 * Whether a task reached a regular expression before the library was loaded. The library is loaded when this resolves,
 * and the task must be repeated.
 */
export async function arrivedLate(): Promise<boolean> {
  if (!isMissed) return false
  isMissed = false
  await loadPatterns()
  return true
}

/** Load the library for all further tasks. */
export async function loadPatterns(): Promise<void> {
  ;({ RE2JS: library } = await import('re2js'))
}
