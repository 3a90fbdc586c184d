// The language of the pages. Another one is a folder beside texts/en/, and its name here. The folder imports nothing from
// this file: here its texts.ts is held against the type.
import { en } from './texts/en/texts.ts'

export type Texts = typeof en

export const texts: Texts = en
