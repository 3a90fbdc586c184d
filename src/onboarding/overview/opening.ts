// The words that a list opens with, for each ending: nothing is called connected that is not. Pure.
import type { Texts } from '../../web/texts.en.ts'
import type { Ending, Sight } from './ending.ts'
import { unhandled } from '../standing.ts'

export type Opening = {
  /** open: something waits. rest: it does not, and something is not connected. done: nothing is left to do. */
  mood: 'open' | 'rest' | 'done'
  heading: string
  lead: string
  /** Is a first search offered? Where nothing is connected it could find nothing. */
  search: boolean
  /** Where the list offers nothing to do: the way to ask the service once more. */
  lookAgain: string | undefined
}

export function openingOf(ending: Ending, { shown, hidden, isNarrowed }: Sight, t: Texts): Opening {
  const { finished, overview } = t
  // Of apps that a narrowed visit does not show, its headings say nothing.
  const isPart = Object.values(hidden).some((count) => count > 0)
  const said = (mood: Opening['mood'], heading: string, lead: string): Opening => ({
    mood,
    heading,
    lead,
    search: mood === 'done',
    lookAgain: undefined,
  })
  switch (ending) {
    case 'open':
      return said('open', overview.title, isNarrowed ? overview.leadNarrowed : overview.lead(shown.pending))
    case 'unknown-name':
      return said('open', overview.title, overview.nothingUnderName)
    case 'nothing':
      return said('done', finished.titleNothing, overview.nothingKnown)
    case 'all':
      return said('done', finished.title, finished.lead)
    case 'all-but-off':
      return said('done', finished.titleButOff, finished.leadButOff(shown.off + hidden.off))
    case 'these': {
      const others = hidden.pending + hidden.skipped + hidden.blocked
      return said('done', finished.titleThese, finished.leadThese(others))
    }
    case 'some':
      return {
        ...said('rest', isPart ? finished.titleSomeOfThese : finished.titleSome, finished.leadSome(shown)),
        search: true,
      }
    case 'none':
      return said('rest', isPart ? finished.titleNoneOfThese : finished.titleNone, finished.leadNone(shown))
    case 'off':
      return {
        ...said('rest', isPart ? finished.titleTheseOff : finished.titleOff, finished.leadOff(shown.off)),
        lookAgain: '/onboarding',
      }
    default:
      return unhandled(ending)
  }
}
