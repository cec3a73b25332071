// Package llm is how toolpost speaks with a model: what is said ([Message],
// made of [Block]s), what is asked ([Request]), who answers ([Provider], one
// method), and how the pieces of an answer that streams in ([Delta]) join into a
// message again ([Reply]).
//
//	var reply llm.Reply
//	for d, err := range provider.Stream(ctx, &req) {
//		if err != nil {
//			return err
//		}
//		reply.Add(d)
//	}
//	msg := reply.Message()
//
// Around a Provider, [Retry] asks again when that is safe and [Pipeline] falls
// back to another model. [Sanitize] makes a history that began elsewhere fit for
// a provider, with the rules of an id [Profile].
//
// The package knows no wire format: those are the packages under provider. It
// runs no tools: that is package agent. What providers do, and where they fail,
// is collected in their documentation and in recorded streams; the rules here
// name the one they guard against.
package llm
