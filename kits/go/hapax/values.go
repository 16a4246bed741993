package hapax

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"hapax.dev/kits/go/hapaxv1"
)

const (
	maxPayload        = 262_144
	maxFailureMessage = 4096
	maxStack          = 16_384
	largestInteger    = 1<<53 - 1
)

var (
	notRetained = jsonPayload(`{"@type":"hapax.dev/result-not-retained"}`)
	timedOut    = jsonPayload(`{"@type":"hapax.dev/signal-timeout"}`)
	null        = jsonPayload("null")

	numbered      = regexp.MustCompile(`#[0-9]+$`)
	surrogatePair = regexp.MustCompile(`\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..`)
	surrogate     = regexp.MustCompile(`\\u[dD][89a-fA-F]`)
)

func jsonPayload(text string) *hapaxv1.Payload {
	return &hapaxv1.Payload{Content: &hapaxv1.Payload_Json{Json: text}}
}

// Payload returns the payload of a value: nothing for nil, []byte as it is, and all else as JSON, of at most 256 KiB.
func Payload(value any) (*hapaxv1.Payload, error) {
	content, isBinary, err := contentOf(value)
	if err != nil {
		return nil, err
	}
	return payloadOf(content, isBinary)
}

// contentOf returns []byte as it is, and all else as JSON; nil for nil.
func contentOf(value any) (content []byte, isBinary bool, err error) {
	if value == nil {
		return nil, false, nil
	}
	if content, isBinary = value.([]byte); !isBinary {
		content, err = json.Marshal(value)
	}
	return content, isBinary, err
}

func payloadOf(content []byte, isBinary bool) (*hapaxv1.Payload, error) {
	switch {
	case len(content) > maxPayload:
		text := "a payload must have at most %d bytes (was %d); connect with Options.Payloads to store longer ones"
		return nil, fmt.Errorf(text, maxPayload, len(content))
	case content == nil && !isBinary:
		return nil, nil
	case isBinary:
		return &hapaxv1.Payload{Content: &hapaxv1.Payload_Binary{Binary: content}}, nil
	}
	return jsonPayload(string(content)), nil
}

// unknownIn returns which field stands in a oneof instead of those of this API, and "" if it is a known one.
func unknownIn(message proto.Message, oneof protoreflect.Name) string {
	m := message.ProtoReflect()
	of := m.Descriptor().Oneofs().ByName(oneof)
	if of == nil || m.WhichOneof(of) != nil {
		return ""
	}
	if number, _, length := protowire.ConsumeTag(m.GetUnknown()); length > 0 {
		return fmt.Sprintf("field %d", number)
	}
	return "no field"
}

// Decode stores the value of a payload in the variable that into points to. No payload leaves it as it is.
func Decode(payload *hapaxv1.Payload, into any) error {
	if payload == nil {
		return nil
	}
	if unknown := unknownIn(payload, "content"); unknown != "" {
		return failed(UnknownAnswer, nil, "Hapax sent a payload whose content this package does not know (%s); upgrade it", unknown)
	}
	if storedOf(payload) != nil {
		return errNoStore
	}
	switch content := payload.GetContent().(type) {
	case *hapaxv1.Payload_Json:
		return json.Unmarshal([]byte(content.Json), into)
	case *hapaxv1.Payload_Binary:
		switch into := into.(type) {
		case *[]byte:
			*into = content.Binary
		case *any:
			*into = content.Binary
		default:
			return fmt.Errorf("the payload is binary, it cannot be decoded into %T", into)
		}
	}
	return nil
}

func decoded[T any](payload *hapaxv1.Payload) (value T, err error) {
	return value, Decode(payload, &value)
}

// Fingerprint returns what a duplicate must have in common: SHA-256 of []byte, or of JSON as RFC 8785 writes it.
// Nil has none. An integer beyond 2^53 - 1 is an error: send it as a text.
func Fingerprint(value any) ([]byte, error) {
	if value == nil {
		return nil, nil
	}
	text, isBinary := value.([]byte)
	if !isBinary {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		if surrogate.Match(surrogatePair.ReplaceAll(raw, nil)) {
			return nil, errors.New("an input must not have unpaired surrogates")
		}
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		var tree any
		if err := decoder.Decode(&tree); err != nil {
			return nil, err
		}
		if text, err = canonical(nil, tree); err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256(text)
	return sum[:], nil
}

func canonical(to []byte, value any) ([]byte, error) {
	var err error
	switch value := value.(type) {
	case map[string]any:
		names := make([]string, 0, len(value))
		for name := range value {
			names = append(names, name)
		}
		sort.Slice(names, func(i, j int) bool { return utf16Less(names[i], names[j]) })
		to = append(to, '{')
		for i, name := range names {
			if i > 0 {
				to = append(to, ',')
			}
			to = append(quoted(to, name), ':')
			if to, err = canonical(to, value[name]); err != nil {
				return nil, err
			}
		}
		return append(to, '}'), nil
	case []any:
		to = append(to, '[')
		for i, each := range value {
			if i > 0 {
				to = append(to, ',')
			}
			if to, err = canonical(to, each); err != nil {
				return nil, err
			}
		}
		return append(to, ']'), nil
	case string:
		return quoted(to, value), nil
	case json.Number:
		return number(to, value)
	case bool:
		return strconv.AppendBool(to, value), nil
	default:
		return append(to, "null"...), nil
	}
}

func utf16Less(a, b string) bool {
	left, right := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for i := range left {
		if i == len(right) || left[i] != right[i] {
			return i < len(right) && left[i] < right[i]
		}
	}
	return len(left) < len(right)
}

func quoted(to []byte, text string) []byte {
	to = append(to, '"')
	for _, each := range text {
		if at := strings.IndexRune("\b\t\n\f\r\"\\", each); at >= 0 {
			to = append(to, '\\', `btnfr"\`[at])
		} else if each < ' ' {
			to = append(to, fmt.Sprintf(`\u%04x`, each)...)
		} else {
			to = append(to, string(each)...)
		}
	}
	return append(to, '"')
}

func number(to []byte, value json.Number) ([]byte, error) {
	float, err := value.Float64()
	if err != nil {
		return nil, fmt.Errorf("an input must have finite numbers (was %s)", value)
	}
	if float != math.Trunc(float) {
		text, err := json.Marshal(float) // as ECMAScript writes it
		return append(to, text...), err
	}
	if math.Abs(float) > largestInteger {
		return nil, fmt.Errorf("integers beyond 2^53 - 1 differ between languages; send %s as a text", value)
	}
	return strconv.AppendInt(to, int64(float), 10), nil
}

// CheckName returns an error unless the text may be an id, a key, a token or another name.
func CheckName(field, text string) error {
	problem := ""
	if length := utf8.RuneCountInString(text); length > 255 {
		problem = fmt.Sprintf("%s must have at most 255 characters (was %d)", field, length)
	} else if !utf8.ValidString(text) {
		problem = field + " must be valid UTF-8"
	} else if strings.IndexFunc(text, unicode.IsControl) >= 0 {
		problem = field + " must not have control characters"
	} else {
		return nil
	}
	return &Error{Kind: Refused, Code: codes.InvalidArgument, Reason: "INVALID_FIELD", Message: problem}
}

// CheckPartName returns an error unless the text may be the name of a part, of a map or of a patch.
func CheckPartName(text string) error {
	if text == "" || strings.Contains(text, "/") || numbered.MatchString(text) {
		text := fmt.Sprintf("a step name must not be empty, have a / or end in # and digits (was %q)", text)
		return Fail(FinalFailure, "STEP_NAME_INVALID", text)
	}
	if err := CheckName("a step name", text); err != nil {
		return Fail(FinalFailure, "STEP_NAME_INVALID", err.Error())
	}
	return nil
}

// CheckKey returns an error unless the bytes of the text may be the value of a header Idempotency-Key.
func CheckKey(text string) error {
	isForeign := func(each rune) bool { return each < 0x20 || each > 0x7E }
	if text == "" || strings.IndexFunc(text, isForeign) >= 0 {
		problem := "the header Idempotency-Key must have printable ASCII only, the bytes 0x20 to 0x7E, and not be empty"
		return &Error{Kind: Refused, Code: codes.InvalidArgument, Reason: "INVALID_FIELD", Message: problem}
	}
	return CheckName("Idempotency-Key", text)
}

// failure returns what Hapax keeps of an error, cut to its limits.
func failure(err error) *hapaxv1.Failure {
	f := &hapaxv1.Failure{Code: fmt.Sprintf("%T", err), Message: err.Error()}
	var known *Error
	if errors.As(err, &known) {
		f.Code, f.Part, f.Stack = first(known.FailureCode, string(known.Kind)), known.part, known.stack
	}
	var part *PartFailed
	if errors.As(err, &part) {
		f.Message = part.Message
	}
	var panicked *Panic
	if errors.As(err, &panicked) {
		f.Stack = panicked.Stack
	}
	f.Code = clean(f.Code)
	if letters := []rune(f.Code); len(letters) > 255 {
		f.Code = string(letters[:255])
	}
	f.Message, f.Stack = cut(clean(f.Message), maxFailureMessage), cut(clean(f.Stack), maxStack)
	return f
}

// cut returns at most so many bytes of a text.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

func clean(text string) string {
	return strings.Map(func(each rune) rune {
		if unicode.IsControl(each) && each != '\n' && each != '\t' {
			return ' '
		}
		return each
	}, strings.ToValidUTF8(text, "?"))
}
