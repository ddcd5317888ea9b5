import type { XmlElement } from '../xml/tree.ts'

/**
 * The language of an element's expressions if it is another than FEEL. B-FEEL, which DMN 1.6 introduced, has the grammar of FEEL and
 * other results: it has no null.
 */
export function foreignLanguageOf({ attributes }: XmlElement): string | undefined {
  const language = attributes.get('expressionLanguage')
  return language === undefined || (/feel/i.test(language) && !/b-feel/i.test(language)) ? undefined : language
}
