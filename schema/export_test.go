package schema

// Fast reports whether the fast walk alone decides for s.
func Fast(s *Schema) bool { return s.reason == "" }

// Reason says why it does not.
func Reason(s *Schema) string { return s.reason }

// FitsFast and FitsSlow are the two validators, for the differential test.
func FitsFast(s *Schema, doc []byte) bool { return s.root.match(doc).ok }

// FitsSlow asks the slow validator.
func FitsSlow(s *Schema, doc []byte) (bool, error) {
	v, err := s.validator()
	if err != nil {
		return false, err
	}
	return v.Validate(parseVal(doc).decoded()) == nil, nil
}
