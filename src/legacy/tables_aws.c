// Tables of AWSNodeTemplate, of the inline provider, and of v1beta1's EC2NodeClass.
#include "legacy/fields.h"

// An inline provider may say of which version it is, and so may, since they were one struct, the spec of a template.
static ErrCode decode_unread_text(Decoder *decoder, const Value *value, void *ret_nothing, Err *err) {
    (void)ret_nothing;
    return decode_expect(decoder, value, VALUE_STRING, err);
}

// What an inline provider has comes first.
static const Field aws_fields[] = {
    FIELD_CUSTOM_WITH(OldAws, ami_family, "apiVersion", decode_unread_text, ),
    FIELD_CUSTOM_WITH(OldAws, ami_family, "kind", decode_unread_text, ),
    FIELD(OldAws, ami_family, "amiFamily", FIELD_STRING, ),
    FIELD(OldAws, context, "context", FIELD_STRING, ),
    FIELD(OldAws, instance_profile, "instanceProfile", FIELD_STRING, ),
    FIELD_CUSTOM_WITH(OldAws, subnet_selector, "subnetSelector", decode_text_map, ),
    FIELD_CUSTOM_WITH(OldAws, security_group_selector, "securityGroupSelector", decode_text_map, ),
    FIELD_CUSTOM_WITH(OldAws, tags, "tags", decode_text_map, ),
    FIELD(OldAws, launch_template, "launchTemplate", FIELD_STRING, ),
    FIELD(OldAws, metadata_options, "metadataOptions", FIELD_POINTER, .table = &old_metadata_options_table),
    FIELD(OldAws, devices, "blockDeviceMappings", FIELD_LIST, .table = &old_device_table),
    FIELD_HAS(OldAws, user_data, has_user_data, "userData", FIELD_STRING, ),
    FIELD_CUSTOM_WITH(OldAws, ami_selector, "amiSelector", decode_text_map, ),
    FIELD(OldAws, detailed_monitoring, "detailedMonitoring", FIELD_BOOL, ),
};
enum { AWS_FIELDS = sizeof aws_fields / sizeof *aws_fields, TEMPLATE_ONLY = 3 };
static const FieldTable aws_table = FIELD_TABLE(OldAws, aws_fields);
const FieldTable old_provider_table = {sizeof(OldAws), aws_fields, AWS_FIELDS - TEMPLATE_ONLY};

static const Field template_fields[] = {
    FIELD(OldNodeTemplate, metadata, "metadata", FIELD_VALUE, ),
    FIELD_FLAT("metadata", old_metadata_name_table, .required = true),
    FIELD(OldNodeTemplate, aws, "spec", FIELD_OBJECT, .table = &aws_table, .required = true),
};
const FieldTable node_template_table = FIELD_TABLE(OldNodeTemplate, template_fields);

static ErrCode decode_has_terms(Decoder *decoder, const Value *value, void *ret_has, Err *err) {
    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    *(bool *)ret_has = value->list.count > 0;
    return OK;
}

static const Field class_spec_fields[] = {
    FIELD(BetaClass, ami_family, "amiFamily", FIELD_STRING, .required = true),
    FIELD_CUSTOM_WITH(BetaClass, has_ami_terms, "amiSelectorTerms", decode_has_terms, ),
    FIELD(BetaClass, metadata_options, "metadataOptions", FIELD_POINTER, .table = &old_metadata_options_table),
    FIELD(BetaClass, devices, "blockDeviceMappings", FIELD_LIST, .table = &beta_device_table),
};
static const FieldTable class_spec_table = FIELD_TABLE(BetaClass, class_spec_fields);

static const Field class_fields[] = {
    FIELD(BetaClass, metadata, "metadata", FIELD_VALUE, ),
    FIELD_FLAT("metadata", old_metadata_name_table, .required = true),
    FIELD_FLAT("spec", class_spec_table, .required = true),
};
const FieldTable beta_class_table = FIELD_TABLE(BetaClass, class_fields);
