import type { XmlElement } from '../xml/tree.ts'

/**
 * The language of an element's expressions if it is not FEEL. B-FEEL, introduced by DMN 1.6, has the grammar of FEEL
 * but different results: it has no null.
 */
export function foreignLanguageOf({ attributes }: XmlElement): string | undefined {
  const language = attributes.get('expressionLanguage')
  return language === undefined || (/feel/i.test(language) && !/b-feel/i.test(language)) ? undefined : language
}
