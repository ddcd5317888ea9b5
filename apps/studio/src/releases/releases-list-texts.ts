import { releasesList as en, type ReleasesListTexts } from '../texts/en/releases-list.ts'
import { useLanguage } from '../texts/texts.tsx'
import { releasesList as zh } from '../texts/zh/releases-list.ts'

const TEXTS = { en, zh } as const

/** The texts of the list of releases in the chosen language: no other page loads them. */
export const useReleasesListTexts = (): ReleasesListTexts => TEXTS[useLanguage().language]
